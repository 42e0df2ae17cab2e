/** Returns the current time in milliseconds since the epoch. Passed as an argument, so that tests can set the time. */
export type Now = () => number

/**
 * A monotonic clock: the system time at the start of this process plus the time since then, in milliseconds since the epoch. Use it
 * for durations: it does not jump when the system time is changed.
 */
export const steadyNow: Now = () => performance.timeOrigin + performance.now()

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** The latest time of a `Date`, in milliseconds since the epoch. Times from outside can be any number. */
export const maxTimeMs = 8.64e15

/** Formats a time as ISO 8601 in UTC with milliseconds, as in all responses of the service. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
