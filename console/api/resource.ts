import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Answer, addressOf, call, type Input, type RouteName } from './client.ts'
import { unreachableSince } from './connection.ts'
import type { Failure } from './failure.ts'
import { type FailedRead, isRetryable, nextFailedRead, useRetry } from './retry.ts'
import { useStaleNotice } from './stale-data.ts'

/**
 * What a screen shows of something it asked for. While the next is on its way, the old one stays; and where the next
 * fails by what passes, until that has passed: it is asked for again, and the frame tells that it is of before.
 */
export type Resource<T> = {
  /** The last that came. */
  data: T | undefined
  /** Why there is nothing to show, or nothing that still holds. */
  failure: Failure | undefined
  isLoading: boolean
  /** Whether `data` is there and the latest could not be read; it is being asked for again. */
  isStale: boolean
  /** Whether `data` is what is asked for now, and not what was before. */
  isCurrent: boolean
  reload: () => void
}

/** What was answered lately, so that coming back to a screen shows it at once. */
const cache = new Map<string, unknown>()
const cacheSize = 60

function cacheAnswer(key: string, answer: unknown): void {
  cache.delete(key)
  cache.set(key, answer)
  if (cache.size > cacheSize) cache.delete(cache.keys().next().value!)
}

/** Forgets what begins like this, after a change of it. Without an argument everything. */
export function invalidate(part = ''): void {
  for (const key of cache.keys()) if (key.includes(part)) cache.delete(key)
}

/** `key` is that of `data`, `asked` that of the rest. */
type State<T> = {
  key: string | undefined
  data: T | undefined
  requestedKey: string | undefined
  failedRead: FailedRead | undefined
  isLoading: boolean
}

/**
 * Loads what `key` names, again whenever that changes.
 * @param key undefined where there is nothing to load.
 */
export function useResource<T>(key: string | undefined, load: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const [state, setState] = useState<State<T>>(() => initialState(key))
  const [loadCount, setLoadCount] = useState(0)
  const latest = useRef(load)
  latest.current = load
  // Asked for at once, and not after what is there already has been painted.
  useLayoutEffect(() => {
    if (key === undefined) return setState(initialState<T>(undefined))
    const controller = new AbortController()
    setState((before) => ({
      ...before,
      ...(cache.has(key) && initialState<T>(key)),
      requestedKey: key,
      failedRead: before.requestedKey === key ? before.failedRead : undefined,
      isLoading: true,
    }))
    latest.current(controller.signal).then(
      (data) => {
        cacheAnswer(key, data)
        if (!controller.signal.aborted)
          setState({ key, data, requestedKey: key, failedRead: undefined, isLoading: false })
      },
      (error) => {
        if (controller.signal.aborted) return
        setState((before) => ({ ...before, failedRead: nextFailedRead(before.failedRead, error), isLoading: false }))
      },
    )
    return () => controller.abort()
  }, [key, loadCount])
  const { data, failedRead, isLoading } = state
  const isCurrent = state.key === key && data !== undefined
  const isStale = isCurrent && failedRead !== undefined && isRetryable(failedRead.failure)
  const restart = useCallback(() => setLoadCount((before) => before + 1), [])
  const retryNotBefore = useRef(0)
  retryNotBefore.current = isStale ? failedRead.at + (failedRead.failure.retryAfterMs ?? 0) : 0
  // What the service wants to be left alone with is asked for again when that is over, whatever happens meanwhile.
  const reload = useCallback(() => {
    if (Date.now() >= retryNotBefore.current) restart()
  }, [])
  useStaleNotice(isStale ? failedRead : undefined)
  useRetry(isLoading ? undefined : failedRead, restart)
  useReconnect(restart)
  return { data, failure: isStale ? undefined : failedRead?.failure, isLoading, isStale, isCurrent, reload }
}

/** Calls `act` when the service answers again after a time in which it did not. */
export function useReconnect(act: () => void): void {
  const isUnreachable = unreachableSince.value !== undefined
  const wasUnreachable = useRef(isUnreachable)
  useEffect(() => {
    if (wasUnreachable.current && !isUnreachable) act()
    wasUnreachable.current = isUnreachable
  }, [isUnreachable])
}

function initialState<T>(key: string | undefined): State<T> {
  const data = key === undefined ? undefined : (cache.get(key) as T | undefined)
  const isLoading = key !== undefined
  return { key: data === undefined ? undefined : key, data, requestedKey: key, failedRead: undefined, isLoading }
}

/** What a route answers. @param input undefined where it is not to be asked. */
export function useGet<R extends RouteName>(route: R, input: Input<R> | undefined): Resource<Answer<R>> {
  return useResource(input && addressOf(route, input as object), (signal) => call(route, input as Input<R>, { signal }))
}
