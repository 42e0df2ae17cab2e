/**
 * The time in milliseconds since the epoch, as it was when the process began and has gone on since. It does not jump
 * when somebody sets the clock of the machine, so that a deadline neither fires early nor waits for hours.
 */
export const monotonicNow = () => Math.floor(performance.timeOrigin + performance.now())
