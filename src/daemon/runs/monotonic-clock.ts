/**
 * The time in milliseconds since the epoch, counted from the start of the process. It does not jump when the clock of the
 * machine is set, so that deadlines are neither early nor hours late.
 */
export const monotonicNow = () => Math.floor(performance.timeOrigin + performance.now())
