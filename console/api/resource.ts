import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { addressOf, call, type Input, type ResponseBody, type RouteName } from './client.ts'
import { unreachableSince } from './connection/connection.ts'
import { type FailedRead, isRetryable, nextFailedRead, useRetry } from './connection/retry.ts'
import { useStaleNotice } from './connection/stale-data.ts'
import type { Failure } from './failure.ts'

/**
 * Data of a request. The previous data stays during the next request, and even if the next request fails. After a transient
 * failure the data is stale: `failure` is undefined, the request is retried, and the header of the page says that it
 * shows earlier data. After a permanent failure `failure` is set beside the data, and the screen decides which of the two it shows.
 */
export type Resource<T> = {
  /** The last response. */
  data: T | undefined
  /** The failure of the last request, unless it is transient and there is data of the same request. */
  failure: Failure | undefined
  isLoading: boolean
  /** Whether `data` is outdated, because the last request failed. The request is retried. */
  isStale: boolean
  /** Whether `data` is the response to the current request, not to a previous one. */
  isCurrent: boolean
  reload: () => void
}

/** Recent responses. A screen that is opened again shows them at once. */
const cache = new Map<string, unknown>()
const cacheSize = 60

function cacheResponse(key: string, response: unknown): void {
  cache.delete(key)
  cache.set(key, response)
  if (cache.size > cacheSize) cache.delete(cache.keys().next().value!)
}

/** Removes cached responses whose address contains `part`; all of them by default. */
export function invalidate(part = ''): void {
  for (const key of cache.keys()) if (key.includes(part)) cache.delete(key)
}

/** `key` belongs to `data`, `requestedKey` to the other fields. */
type State<T> = {
  key: string | undefined
  data: T | undefined
  requestedKey: string | undefined
  failedRead: FailedRead | undefined
  isLoading: boolean
}

/**
 * Loads data, again whenever `key` changes.
 * @param key undefined disables loading.
 */
export function useResource<T>(key: string | undefined, load: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const [state, setState] = useState<State<T>>(() => initialState(key))
  const [loadCount, setLoadCount] = useState(0)
  const latestLoad = useRef(load)
  latestLoad.current = load
  // A layout effect: the request must not wait for the next paint.
  useLayoutEffect(() => {
    if (key === undefined) return setState(initialState<T>(undefined))
    const controller = new AbortController()
    setState((before) => ({
      ...before,
      // Replaces the previous data by a cached response. The fields below belong to the new request.
      ...(cache.has(key) && initialState<T>(key)),
      requestedKey: key,
      failedRead: before.requestedKey === key ? before.failedRead : undefined,
      isLoading: true,
    }))
    latestLoad.current(controller.signal).then(
      (data) => {
        cacheResponse(key, data)
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
  // No reload before the time in `Retry-After` has passed.
  const reload = useCallback(() => {
    if (Date.now() >= retryNotBefore.current) restart()
  }, [])
  useStaleNotice(isStale ? failedRead : undefined)
  useRetry(isLoading ? undefined : failedRead, restart)
  useReconnect(restart)
  return { data, failure: isStale ? undefined : failedRead?.failure, isLoading, isStale, isCurrent, reload }
}

/** Calls `onReconnect` when the service responds again after an outage. */
export function useReconnect(onReconnect: () => void): void {
  const isUnreachable = unreachableSince.value !== undefined
  const wasUnreachable = useRef(isUnreachable)
  useEffect(() => {
    if (wasUnreachable.current && !isUnreachable) onReconnect()
    wasUnreachable.current = isUnreachable
  }, [isUnreachable])
}

function initialState<T>(key: string | undefined): State<T> {
  const data = key === undefined ? undefined : (cache.get(key) as T | undefined)
  const isLoading = key !== undefined
  return { key: data === undefined ? undefined : key, data, requestedKey: key, failedRead: undefined, isLoading }
}

/** The response of a route. @param input undefined disables the request. */
export function useGet<R extends RouteName>(route: R, input: Input<R> | undefined): Resource<ResponseBody<R>> {
  return useResource(input && addressOf(route, input as object), (signal) => call(route, input as Input<R>, { signal }))
}
