import {
  type Dispatch,
  type StateUpdater,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'preact/hooks'
import { addressOf, call, type ResponseBody } from '../../api/client.ts'
import { type FailedRead, isRetryable, nextFailedRead, useRetry } from '../../api/connection/retry.ts'
import { useStaleNotice } from '../../api/connection/stale-data.ts'
import { isReceivingEvents, useEvents, useStreamRestart } from '../../api/events.ts'
import { takePreloadedResponse } from '../../api/preloaded-responses.ts'
import { useReconnect } from '../../api/resource.ts'
import type { Generation } from '../../api/types.ts'
import { type LogQuery, logQuery, matchableQuery } from './log-query.ts'
import { matchesQuery } from './matches-query.ts'
import { withNewer, withWaiting } from './merge-rows.ts'

const pageSize = 50
/** The polling interval without an event stream. */
const pollMs = 2_000
/** Events within this time are added together. */
const gatherMs = 150

type Log = {
  rows: Generation[]
  /** Newer rows that arrived while the list was scrolled down. */
  waiting: Generation[]
  /** Whether newer rows were dropped. */
  hasGap: boolean
  /** The cursor of older rows; null at the end, undefined if rows were dropped: then the time of the last row is used. */
  cursor: string | null | undefined
  /** The failure of reading the newest rows. */
  newestFailedRead: FailedRead | undefined
  /** The failure of reading older rows. */
  endFailedRead: FailedRead | undefined
  /** Whether a request is in flight. */
  isLoading: boolean
}

const emptyLog: Log = {
  rows: [],
  waiting: [],
  hasGap: false,
  cursor: null,
  newestFailedRead: undefined,
  endFailedRead: undefined,
  isLoading: true,
}

/** The rows that the page contains. */
function preloadedLog(values: Readonly<Record<string, string>>): Log {
  const query = { ...logQuery(values, Date.now()), limit: pageSize }
  const response = takePreloadedResponse(addressOf('GET /generations', { query })) as
    | ResponseBody<'GET /generations'>
    | undefined
  return response ? { ...emptyLog, rows: response.data, cursor: response.next_cursor, isLoading: false } : emptyLog
}

/**
 * The request log: older pages while scrolling, newer requests live.
 * @param values the filters in the address.
 * @param isAtTop whether new rows are inserted. Otherwise they wait.
 */
export function useLog(values: Readonly<Record<string, string>>, isLive: boolean, isAtTop: boolean) {
  const [log, setLog] = useState(() => preloadedLog(values))
  const isPreloaded = useRef(!log.isLoading)
  const [loadCount, setLoadCount] = useState(0)
  // With a fixed time, so that it changes with the filters only.
  const filter = JSON.stringify(logQuery(values, 0))
  const query = useRef<LogQuery>({})
  const lastFilter = useRef('')
  const isAtTopRef = useRef(isAtTop)
  isAtTopRef.current = isAtTop
  /** Events during a request, whose response may lack them; undefined while none is in flight. */
  const receivedWhileLoading = useRef<Generation[] | undefined>(undefined)

  useLayoutEffect(() => {
    const controller = new AbortController()
    query.current = logQuery(values, Date.now())
    if (isPreloaded.current) {
      isPreloaded.current = false
      lastFilter.current = filter
      return
    }
    const received: Generation[] = []
    receivedWhileLoading.current = received
    const isSame = lastFilter.current === filter
    lastFilter.current = filter
    setLog((previous) => ({
      ...previous,
      isLoading: true,
      newestFailedRead: isSame ? previous.newestFailedRead : undefined,
    }))
    fetchPage(query.current, {}, controller.signal).then(
      ({ data, next_cursor }) => {
        if (receivedWhileLoading.current === received) receivedWhileLoading.current = undefined
        setLog(
          withNewer({ ...emptyLog, rows: data, cursor: next_cursor, isLoading: false }, received, isAtTopRef.current),
        )
      },
      (error) => {
        if (controller.signal.aborted) return
        receivedWhileLoading.current = undefined
        setLog((previous) => ({
          ...previous,
          newestFailedRead: nextFailedRead(previous.newestFailedRead, error),
          isLoading: false,
        }))
      },
    )
    return () => controller.abort()
  }, [filter, loadCount])

  const addRows = useCallback((newer: Generation[]) => {
    receivedWhileLoading.current?.push(...newer)
    setLog((previous) => withNewer(previous, newer, isAtTopRef.current))
  }, [])
  // At the top all waiting rows are inserted.
  useLayoutEffect(() => {
    if (isAtTop) setLog(withWaiting)
  }, [isAtTop])
  useNewer(query, filter, isLive, addRows)

  const older = useOlder(log, setLog, query)
  const reload = () => setLoadCount((previous) => previous + 1)
  const { newestFailedRead, endFailedRead, isLoading } = log
  useRetry(isLoading ? undefined : newestFailedRead, reload)
  useRetry(endFailedRead, () => void older())
  useReconnect(() => newestFailedRead && reload())
  return { ...log, failure: newestFailedRead?.failure, endFailure: endFailedRead?.failure, older, reload }
}

/** Appends the next page of older rows, one at a time. Ignores the response if the list has changed. */
function useOlder({ cursor, rows }: Log, setLog: Dispatch<StateUpdater<Log>>, query: { current: LogQuery }) {
  const isBusy = useRef(false)
  return useCallback(async () => {
    const last = rows.at(-1)
    if (isBusy.current || cursor === null || !last) return
    isBusy.current = true
    try {
      const page = await fetchPage(query.current, cursor === undefined ? { to: afterRow(last) } : { cursor })
      setLog((previous) => {
        if (previous.cursor !== cursor || previous.rows.at(-1) !== last) return previous
        const listedIds = new Set(previous.rows.slice(-pageSize).map(({ id }) => id))
        const next = page.data.filter(({ id }) => !listedIds.has(id))
        return { ...previous, rows: [...previous.rows, ...next], cursor: page.next_cursor, endFailedRead: undefined }
      })
    } catch (error) {
      setLog((previous) => ({ ...previous, endFailedRead: nextFailedRead(previous.endFailedRead, error) }))
    } finally {
      isBusy.current = false
    }
  }, [cursor, rows])
}

const fetchPage = (query: LogQuery, page: Partial<LogQuery>, signal?: AbortSignal) =>
  call('GET /generations', { query: { ...query, ...page, limit: pageSize } }, { signal })

/** The first time after a row. The next page then has the rows of the same millisecond, also those that are listed already. */
const afterRow = ({ created_at }: Generation) => new Date(Date.parse(created_at) + 1).toISOString()

/** Adds finished requests from events, or by polling. */
function useNewer(query: { current: LogQuery }, filter: string, isLive: boolean, add: (newer: Generation[]) => void) {
  const gathered = useRef<Generation[]>([])
  const timer = useRef<number | undefined>(undefined)
  const [newerFailedRead, setNewerFailedRead] = useState<FailedRead>()
  const fetchNewest = async () => {
    const requestedQuery = query.current
    try {
      const newest = await fetchPage(requestedQuery, {})
      if (requestedQuery !== query.current) return
      add(newest.data)
      setNewerFailedRead(undefined)
    } catch (error) {
      if (requestedQuery === query.current) setNewerFailedRead((previous) => nextFailedRead(previous, error))
    }
  }
  const retryable = newerFailedRead && isRetryable(newerFailedRead.failure) ? newerFailedRead : undefined
  useStaleNotice(retryable)
  useRetry(retryable, fetchNewest)
  // A failed read is retried with increasing delays.
  const isRetrying = useRef(false)
  isRetrying.current = retryable !== undefined
  useEvents<Generation>('generation', (generation) => {
    if (!isLive || !matchesQuery(generation, matchableQuery(query.current).matchable)) return
    gathered.current.push(generation)
    timer.current ??= window.setTimeout(() => {
      timer.current = undefined
      const newer = gathered.current.splice(0)
      if (matchableQuery(query.current).isComplete) add(newer)
      else if (newer.length > 0 && !isRetrying.current) fetchNewest()
    }, gatherMs)
  })
  useStreamRestart(() => {
    if (isLive) fetchNewest()
  })
  useEffect(() => {
    // Gathered events belong to the previous filter.
    gathered.current = []
    setNewerFailedRead(undefined)
    if (!isLive) return
    const timer = setInterval(() => {
      if (!document.hidden && !isReceivingEvents() && !isRetrying.current) fetchNewest()
    }, pollMs)
    return () => clearInterval(timer)
  }, [query, filter, isLive, add])
}
