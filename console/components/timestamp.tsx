import { clockTime, exactTime, relativeTime } from '../format/time.ts'
import { now } from './clock.ts'

/** For lists: the time of day, and the day where it is another. */
export function ClockTime({ time }: { time: string }) {
  const at = new Date(time)
  return (
    <time dateTime={time} title={exactTime(at)}>
      {clockTime(at, new Date())}
    </time>
  )
}

/** For details: how long ago, the exact time on hover. */
export function RelativeTime({ time }: { time: string }) {
  const at = new Date(time)
  return (
    <time dateTime={time} title={exactTime(at)}>
      {relativeTime(at, now.value)}
    </time>
  )
}
