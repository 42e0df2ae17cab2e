/** The current time in milliseconds since the epoch. Passed in, so that tests can turn the clock. */
export type Now = () => number

/**
 * The time by a clock that nobody sets: how long ago something was does not change when the system's clock is set. It begins
 * with the time at which this process started.
 */
export const steadyNow: Now = () => performance.timeOrigin + performance.now()

/** ISO 8601 in UTC with milliseconds, the one form in which instants leave the service. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
