import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Answer, addressOf, call, type Input, type RouteName } from './client.ts'
import { awaySince } from './connection.ts'
import type { Failure } from './failure.ts'
import { isPassing, type Missed, missedOnceMore, useRetry } from './retry.ts'
import { useBehind } from './stale-data.ts'

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
  isBehind: boolean
  /** Whether `data` is what is asked for now, and not what was before. */
  isCurrent: boolean
  reload: () => void
}

/** What was answered lately, so that coming back to a screen shows it at once. */
const answers = new Map<string, unknown>()
const answersKept = 60

function keep(key: string, answer: unknown): void {
  answers.delete(key)
  answers.set(key, answer)
  if (answers.size > answersKept) answers.delete(answers.keys().next().value!)
}

/** Forgets what begins like this, after a change of it. Without an argument everything. */
export function forget(beginning = ''): void {
  for (const key of answers.keys()) if (key.includes(beginning)) answers.delete(key)
}

/** `key` is that of `data`, `asked` that of the rest. */
type State<T> = {
  key: string | undefined
  data: T | undefined
  asked: string | undefined
  missed: Missed | undefined
  isLoading: boolean
}

/**
 * Loads what `key` names, again whenever that changes.
 * @param key undefined where there is nothing to load.
 */
export function useResource<T>(key: string | undefined, load: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const [state, setState] = useState<State<T>>(() => begun(key))
  const [turn, setTurn] = useState(0)
  const latest = useRef(load)
  latest.current = load
  // Asked for at once, and not after what is there already has been painted.
  useLayoutEffect(() => {
    if (key === undefined) return setState(begun<T>(undefined))
    const leaving = new AbortController()
    setState((before) => ({
      ...before,
      ...(answers.has(key) && begun<T>(key)),
      asked: key,
      missed: before.asked === key ? before.missed : undefined,
      isLoading: true,
    }))
    latest.current(leaving.signal).then(
      (data) => {
        keep(key, data)
        if (!leaving.signal.aborted) setState({ key, data, asked: key, missed: undefined, isLoading: false })
      },
      (error) => {
        if (leaving.signal.aborted) return
        setState((before) => ({ ...before, missed: missedOnceMore(before.missed, error), isLoading: false }))
      },
    )
    return () => leaving.abort()
  }, [key, turn])
  const { data, missed, isLoading } = state
  const isCurrent = state.key === key && data !== undefined
  const isBehind = isCurrent && missed !== undefined && isPassing(missed.failure)
  const again = useCallback(() => setTurn((before) => before + 1), [])
  const heldUntil = useRef(0)
  heldUntil.current = isBehind ? missed.at + (missed.failure.retryAfterMs ?? 0) : 0
  // What the service wants to be left alone with is asked for again when that is over, whatever happens meanwhile.
  const reload = useCallback(() => {
    if (Date.now() >= heldUntil.current) again()
  }, [])
  useBehind(isBehind ? missed : undefined)
  useRetry(isLoading ? undefined : missed, again)
  useReturn(again)
  return { data, failure: isBehind ? undefined : missed?.failure, isLoading, isBehind, isCurrent, reload }
}

/** Calls `act` when the service answers again after a time in which it did not. */
export function useReturn(act: () => void): void {
  const isAway = awaySince.value !== undefined
  const wasAway = useRef(isAway)
  useEffect(() => {
    if (wasAway.current && !isAway) act()
    wasAway.current = isAway
  }, [isAway])
}

function begun<T>(key: string | undefined): State<T> {
  const data = key === undefined ? undefined : (answers.get(key) as T | undefined)
  const isLoading = key !== undefined
  return { key: data === undefined ? undefined : key, data, asked: key, missed: undefined, isLoading }
}

/** What a route answers. @param input undefined where it is not to be asked. */
export function useGet<R extends RouteName>(route: R, input: Input<R> | undefined): Resource<Answer<R>> {
  return useResource(input && addressOf(route, input as object), (signal) => call(route, input as Input<R>, { signal }))
}
