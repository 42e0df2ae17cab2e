import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import { hearsEvents, useEvents } from '../api/events.ts'
import { asFailure, type Failure } from '../api/failure.ts'
import type { Generation } from '../api/types.ts'
import { type LogQuery, logQuery } from './log-query.ts'
import { mergeNewest, passes } from './merge.ts'

const pageSize = 100
const pollMs = 2_000
/** So much is kept of a list that is watched for hours. */
const rowsKept = 20_000

type Log = {
  rows: Generation[]
  /** Newer ones that came while the list was read further down. */
  waiting: Generation[]
  /** Where older ones go on; null when there are none. */
  cursor: string | null | undefined
  failure: Failure | undefined
  /** Whether the rows are not yet those that were asked for. */
  isLoading: boolean
}

const empty: Log = { rows: [], waiting: [], cursor: undefined, failure: undefined, isLoading: true }

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
  const top = useRef(isAtTop)
  top.current = isAtTop

  useEffect(() => {
    const leaving = new AbortController()
    query.current = logQuery(values, Date.now())
    setLog((before) => ({ ...before, isLoading: true, failure: undefined }))
    call('GET /generations', { query: { ...query.current, limit: pageSize } }, { signal: leaving.signal }).then(
      ({ data, next_cursor }) => setLog({ ...empty, rows: data, cursor: next_cursor, isLoading: false }),
      (error) =>
        !leaving.signal.aborted && setLog((before) => ({ ...before, failure: asFailure(error), isLoading: false })),
    )
    return () => leaving.abort()
  }, [filter, turn])

  const add = useCallback((newer: Generation[]) => {
    setLog((before) => {
      const { rows, waiting } = mergeNewest(before, newer, top.current)
      return rows === before.rows && waiting === before.waiting
        ? before
        : { ...before, rows: rows.slice(0, rowsKept), waiting }
    })
  }, [])

  useEvents<Generation>('generation', (generation) => {
    if (isLive && passes(generation, query.current)) add([generation])
  })
  useEffect(() => {
    if (!isLive) return
    const timer = setInterval(async () => {
      if (document.hidden || hearsEvents()) return
      const newest = await call('GET /generations', { query: { ...query.current, limit: pageSize } }).catch(
        () => undefined,
      )
      if (newest) add(newest.data)
    }, pollMs)
    return () => clearInterval(timer)
  }, [isLive, filter, add])

  const isBusy = useRef(false)
  const { cursor } = log
  const older = useCallback(async () => {
    if (isBusy.current || !cursor) return
    isBusy.current = true
    try {
      const page = await call('GET /generations', { query: { ...query.current, limit: pageSize, cursor } })
      setLog((before) =>
        before.cursor === cursor
          ? { ...before, rows: [...before.rows, ...page.data], cursor: page.next_cursor }
          : before,
      )
    } catch (error) {
      setLog((before) => ({ ...before, failure: asFailure(error) }))
    } finally {
      isBusy.current = false
    }
  }, [cursor])

  const takeWaiting = () => setLog((before) => ({ ...before, rows: [...before.waiting, ...before.rows], waiting: [] }))
  return { ...log, older, takeWaiting, reload: () => setTurn((before) => before + 1) }
}
