import { clockTime, exactTime, relativeTime } from '../../format/time.ts'
import { now } from '../window/clock.ts'

/** The time of day, with the date unless it is today. For lists. */
export function ClockTime({ time }: { time: string }) {
  const at = new Date(time)
  return (
    <time dateTime={time} title={exactTime(at)}>
      {clockTime(at, new Date())}
    </time>
  )
}

/** The relative time, with the exact time on hover. For details. */
export function RelativeTime({ time }: { time: string }) {
  const at = new Date(time)
  return (
    <time dateTime={time} title={exactTime(at)}>
      {relativeTime(at, now.value)}
    </time>
  )
}
