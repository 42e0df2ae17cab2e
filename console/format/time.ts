import { zoneOffset } from './time-zone.ts'

export const dayMs = 86_400_000

/** The `max` of date inputs. Without it browsers accept years of six digits, which `Date` cannot read. */
export const maxDay = '9999-12-31'

const twoDigits = (value: number) => String(value).padStart(2, '0')

/** A time whose UTC fields are those of the reader's clock. */
const onClock = (at: Date) => new Date(at.getTime() + zoneOffset(at) * 60_000)

const monthAndDay = (local: Date) => `${twoDigits(local.getUTCMonth() + 1)}-${twoDigits(local.getUTCDate())}`
const date = (local: Date) => `${local.getUTCFullYear()}-${monthAndDay(local)}`
/** `2026-11-22` in the reader's own zone. */
export const localDay = (at: Date) => date(onClock(at))

const hoursAndMinutes = (local: Date) => `${twoDigits(local.getUTCHours())}:${twoDigits(local.getUTCMinutes())}`
const timeOfDay = (local: Date) => `${hoursAndMinutes(local)}:${twoDigits(local.getUTCSeconds())}`

/** `14:03:27` in the reader's own zone, with the date unless it is today. */
export function clockTime(at: Date, now: Date): string {
  const local = onClock(at)
  return date(local) === date(onClock(now)) ? timeOfDay(local) : `${monthAndDay(local)} ${timeOfDay(local)}`
}

/** `2026-11-22 14:03:27.118 UTC+1` */
export function exactTime(at: Date): string {
  const local = onClock(at)
  const ms = String(local.getUTCMilliseconds()).padStart(3, '0')
  return `${date(local)} ${timeOfDay(local)}.${ms} ${zoneOf(at)}`
}

function zoneOf(at: Date): string {
  const minutes = zoneOffset(at)
  if (minutes === 0) return 'UTC'
  const hours = Math.floor(Math.abs(minutes) / 60)
  const rest = Math.abs(minutes) % 60
  return `UTC${minutes < 0 ? '−' : '+'}${hours}${rest ? `:${twoDigits(rest)}` : ''}`
}

/** A relative time: `2 s ago`, `5 min ago`, `in 3 h`, `26 h ago`. */
export function relativeTime(at: Date, now: Date): string {
  const ms = now.getTime() - at.getTime()
  const span = wholeSpan(Math.abs(ms))
  if (span === '0 s') return 'now'
  return ms < 0 ? `in ${span}` : `${span} ago`
}

function wholeSpan(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

/** Formats a duration: `0.2 ms`, `81 ms`, `0.62 s`, `6.8 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  // 995 and 59,950 are where rounding reaches the next unit: 59.95 s would be `60.0 s`.
  if (ms < 10) return `${Number(ms.toFixed(1))} ms`
  if (ms < 100) return `${Math.round(ms)} ms`
  if (ms < 995) return `${(ms / 1000).toFixed(2)} s`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}

/** Labels for the ticks of a time axis: `14:30`, or `11-22` at midnight. @param seconds since the epoch. */
export function axisTimes(seconds: number[]): string[] {
  return seconds.map((second) => {
    const local = onClock(new Date(second * 1000))
    return hoursAndMinutes(local) === '00:00' ? monthAndDay(local) : hoursAndMinutes(local)
  })
}
