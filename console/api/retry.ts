import { useEffect } from 'preact/hooks'
import { asFailure, type Failure } from './failure.ts'

/** Reads that failed by these may be answered when asked again: 409 is an intern between two states. */
const passing = [0, 408, 409, 429, 500, 502, 503, 504]
const firstMs = 1_000
const mostMs = 30_000

/** A read that failed: why and when the last time, since when, and how often in a row. */
export type Missed = { failure: Failure; at: number; since: Date; times: number }

/** Whether what failed like this is asked for again by itself. */
export const isPassing = (failure: Failure) => passing.includes(failure.status)

/** One failure more. @param before those in a row that went before it. */
export function missedOnceMore(before: Missed | undefined, error: unknown): Missed {
  const at = Date.now()
  const { since = new Date(at), times = 0 } = before ?? {}
  return { failure: asFailure(error), at, since, times: times + 1 }
}

/**
 * So long nobody asks again: twice as long each time, and no shorter than the service says.
 * @param times how often it failed in a row.
 * @param chance from 0 to 1: pages that failed together do not ask again together.
 */
export function pauseMs(times: number, chance: number, retryAfterMs = 0): number {
  const grown = Math.min(firstMs * 2 ** (times - 1), mostMs)
  return Math.max(grown * (1 - chance / 5), retryAfterMs)
}

/** Calls `act` in so long, or when the page is seen again after that. @returns what calls it off. */
export function later(ms: number, act: () => void): () => void {
  const look = () => {
    if (document.hidden) return
    callOff()
    act()
  }
  const timer = setTimeout(() => {
    document.addEventListener('visibilitychange', look)
    look()
  }, ms)
  const callOff = () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', look)
  }
  return callOff
}

/** Calls `act` after a pause for each failure that passes. @param missed undefined while there is none, or it is asked. */
export function useRetry(missed: Missed | undefined, act: () => void): void {
  useEffect(() => {
    if (!missed || !isPassing(missed.failure)) return
    return later(pauseMs(missed.times, Math.random(), missed.failure.retryAfterMs), act)
  }, [missed])
}
