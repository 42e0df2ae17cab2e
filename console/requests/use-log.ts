import {
  type Dispatch,
  type StateUpdater,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'preact/hooks'
import { call } from '../api/client.ts'
import { hearsEvents, useEvents, useHearing } from '../api/events.ts'
import { useReturn } from '../api/resource.ts'
import { isPassing, type Missed, missedOnceMore, useRetry } from '../api/retry.ts'
import { useBehind } from '../api/stale-data.ts'
import type { Generation } from '../api/types.ts'
import { knownOf, type LogQuery, logQuery } from './log-query.ts'
import { passes, withNewer, withWaiting } from './merge-rows.ts'

const pageSize = 100
/** Where nothing is told live, the log is asked. */
const pollMs = 2_000
/** What is told within this time comes in at once. */
const gatherMs = 150

type Log = {
  rows: Generation[]
  /** Newer ones that came while the list was read further down. */
  waiting: Generation[]
  /** Whether more came than wait. */
  missed: boolean
  /** Where older ones go on; null when there are none, undefined where they were let go and `to` of the last says it. */
  cursor: string | null | undefined
  firstMissed: Missed | undefined
  /** Why the rows end where they do, though there are older ones. */
  endMissed: Missed | undefined
  /** Whether the rows are not yet those that were asked for. */
  isLoading: boolean
}

const empty: Log = {
  rows: [],
  waiting: [],
  missed: false,
  cursor: null,
  firstMissed: undefined,
  endMissed: undefined,
  isLoading: true,
}

/**
 * The request log as a list that goes on at both ends: older pages as one scrolls, newer requests as they happen.
 * @param values what the address filters by.
 * @param isAtTop whether new rows may come in.
 */
export function useLog(values: Readonly<Record<string, string>>, isLive: boolean, isAtTop: boolean) {
  const [log, setLog] = useState(empty)
  const [turn, setTurn] = useState(0)
  const filter = JSON.stringify(logQuery(values, 0))
  const query = useRef<LogQuery>({})
  const asked = useRef('')
  const top = useRef(isAtTop)
  top.current = isAtTop
  // What is told while the log is on its way may not be in it.
  const meanwhile = useRef<Generation[] | undefined>(undefined)

  useLayoutEffect(() => {
    const leaving = new AbortController()
    query.current = logQuery(values, Date.now())
    const told: Generation[] = []
    meanwhile.current = told
    const isSame = asked.current === filter
    asked.current = filter
    setLog((before) => ({ ...before, isLoading: true, firstMissed: isSame ? before.firstMissed : undefined }))
    ask(query.current, {}, leaving.signal).then(
      ({ data, next_cursor }) => {
        if (meanwhile.current === told) meanwhile.current = undefined
        setLog(withNewer({ ...empty, rows: data, cursor: next_cursor, isLoading: false }, told, top.current))
      },
      (error) => {
        if (leaving.signal.aborted) return
        meanwhile.current = undefined
        setLog((before) => ({ ...before, firstMissed: missedOnceMore(before.firstMissed, error), isLoading: false }))
      },
    )
    return () => leaving.abort()
  }, [filter, turn])

  const add = useCallback((newer: Generation[]) => {
    meanwhile.current?.push(...newer)
    setLog((before) => withNewer(before, newer, top.current))
  }, [])
  // At its top nothing waits, however it came there.
  useLayoutEffect(() => {
    if (isAtTop) setLog(withWaiting)
  }, [isAtTop])
  useNewer(query, filter, isLive, add)

  const older = useOlder(log, setLog, query)
  const reload = () => setTurn((before) => before + 1)
  const { firstMissed, endMissed, isLoading } = log
  useRetry(isLoading ? undefined : firstMissed, reload)
  useRetry(endMissed, () => void older())
  useReturn(() => firstMissed && reload())
  return { ...log, failure: firstMissed?.failure, endFailure: endMissed?.failure, older, reload }
}

/** What appends the next page of older ones: one at a time, and dropped where the list has become another meanwhile. */
function useOlder({ cursor, rows }: Log, setLog: Dispatch<StateUpdater<Log>>, query: { current: LogQuery }) {
  const isBusy = useRef(false)
  return useCallback(async () => {
    const last = rows.at(-1)
    if (isBusy.current || cursor === null || !last) return
    isBusy.current = true
    try {
      const page = await ask(query.current, cursor === undefined ? { to: justAfter(last) } : { cursor })
      setLog((before) => {
        if (before.cursor !== cursor || before.rows.at(-1) !== last) return before
        const known = new Set(before.rows.slice(-pageSize).map(({ id }) => id))
        const next = page.data.filter(({ id }) => !known.has(id))
        return { ...before, rows: [...before.rows, ...next], cursor: page.next_cursor, endMissed: undefined }
      })
    } catch (error) {
      setLog((before) => ({ ...before, endMissed: missedOnceMore(before.endMissed, error) }))
    } finally {
      isBusy.current = false
    }
  }, [cursor, rows])
}

const ask = (query: LogQuery, page: Partial<LogQuery>, signal?: AbortSignal) =>
  call('GET /generations', { query: { ...query, ...page, limit: pageSize } }, { signal })

const justAfter = ({ created_at }: Generation) => new Date(Date.parse(created_at) + 1).toISOString()

/** Requests that have ended since: as they are told, else by asking now and then. */
function useNewer(query: { current: LogQuery }, filter: string, isLive: boolean, add: (newer: Generation[]) => void) {
  const gathered = useRef<Generation[]>([])
  const timer = useRef<number | undefined>(undefined)
  const [newerMissed, setMissed] = useState<Missed>()
  const look = async () => {
    const asked = query.current
    try {
      const newest = await ask(asked, {})
      if (asked !== query.current) return
      add(newest.data)
      setMissed(undefined)
    } catch (error) {
      if (asked === query.current) setMissed((before) => missedOnceMore(before, error))
    }
  }
  const passing = newerMissed && isPassing(newerMissed.failure) ? newerMissed : undefined
  useBehind(passing)
  useRetry(passing, look)
  // Then it is asked for again by itself, less and less often.
  const isAsked = useRef(false)
  isAsked.current = passing !== undefined
  useEvents<Generation>('generation', (generation) => {
    if (!isLive || !passes(generation, knownOf(query.current).known)) return
    gathered.current.push(generation)
    timer.current ??= window.setTimeout(() => {
      timer.current = undefined
      const newer = gathered.current.splice(0)
      if (knownOf(query.current).isAll) add(newer)
      else if (newer.length > 0 && !isAsked.current) look()
    }, gatherMs)
  })
  useHearing(() => {
    if (isLive) look()
  })
  useEffect(() => {
    // What was gathered is of the filter before.
    gathered.current = []
    setMissed(undefined)
    if (!isLive) return
    const asking = setInterval(() => {
      if (!document.hidden && !hearsEvents() && !isAsked.current) look()
    }, pollMs)
    return () => clearInterval(asking)
  }, [query, filter, isLive, add])
}
