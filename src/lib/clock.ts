/** The current time in milliseconds since the epoch. Passed in, so that tests can turn the clock. */
export type Now = () => number

/** ISO 8601 in UTC with milliseconds, the one form in which instants leave the service. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
