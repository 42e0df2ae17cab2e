import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { awaySince } from './away.ts'
import { type Answer, addressOf, call, type Input, type RouteName } from './client.ts'
import { asFailure, type Failure } from './failure.ts'

/** What a screen shows of something it asked for. While the next is on its way, the old one stays. */
export type Resource<T> = {
  /** The last that came. */
  data: T | undefined
  failure: Failure | undefined
  isLoading: boolean
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

type State<T> = { key: string | undefined; data: T | undefined; failure: Failure | undefined; isLoading: boolean }

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
    setState((before) => ({ ...before, ...(answers.has(key) && begun<T>(key)), isLoading: true, failure: undefined }))
    latest.current(leaving.signal).then(
      (data) => {
        keep(key, data)
        if (!leaving.signal.aborted) setState({ key, data, failure: undefined, isLoading: false })
      },
      (error) => {
        if (leaving.signal.aborted) return
        setState((before) => {
          // While the service is away, what it said last stays; the frame tells that it is of then.
          const isKept = awaySince.peek() !== undefined && before.key === key && before.data !== undefined
          return { ...before, failure: isKept ? undefined : asFailure(error), isLoading: false }
        })
      },
    )
    return () => leaving.abort()
  }, [key, turn])
  const reload = useCallback(() => setTurn((before) => before + 1), [])
  useReturn(reload)
  return {
    data: state.data,
    failure: state.failure,
    isLoading: state.isLoading,
    isCurrent: state.key === key && state.data !== undefined,
    reload,
  }
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
  return { key: data === undefined ? undefined : key, data, failure: undefined, isLoading: key !== undefined }
}

/** What a route answers. @param input undefined where it is not to be asked. */
export function useGet<R extends RouteName>(route: R, input: Input<R> | undefined): Resource<Answer<R>> {
  return useResource(input && addressOf(route, input as object), (signal) => call(route, input as Input<R>, { signal }))
}
