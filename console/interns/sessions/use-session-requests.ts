import { useEffect } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { fetchAllCursorPages } from '../../api/pages.ts'
import { useResource } from '../../api/resource.ts'
import type { InternSessionRequest } from '../../api/types.ts'

export type SessionRequests = { requests: InternSessionRequest[]; count: number; costUsd: number }

/** Requests are written to the ledger within a second of their end. */
const ledgerDelayMs = 1_200
const maxRequests = 1_000

/**
 * The model requests of a session with their total cost.
 * @param entryCount the length of the transcript. Each new entry can come from a new request, so they are loaded again.
 */
export function useSessionRequests(
  internId: string,
  sessionId: string,
  entryCount: number | undefined,
): SessionRequests | undefined {
  const params = { internId, sessionId }
  const { data, reload } = useResource(`requests of session ${internId} ${sessionId}`, async (signal) => {
    let total = { count: 0, costUsd: 0 }
    const { rows } = await fetchAllCursorPages<InternSessionRequest>(async (query) => {
      const page = await call('GET /interns/{internId}/sessions/{sessionId}/requests', { params, query }, { signal })
      total = { count: page.data.request_count, costUsd: page.data.total_cost_usd }
      return { ...page, data: page.data.requests }
    }, maxRequests)
    return { requests: rows, ...total }
  })
  useEffect(() => {
    const timer = setTimeout(reload, ledgerDelayMs)
    return () => clearTimeout(timer)
  }, [entryCount])
  return data
}
