import { findIntern } from '#interns/registry/intern-store.ts'
import { findConcurrentWindows, findRunWindows, type RunWindow, wasSentInWindow } from '#interns/runs/run-windows.ts'
import { toUsd } from '#platform/core/pico-usd.ts'
import { z } from '#platform/json/schema.ts'
import { wholeNumber } from '#platform/json/whole-number.ts'
import { readCostInWindows, readRequestsInWindows } from '#spend/ledger/key-requests.ts'
import type { GenerationRecord } from '#spend/ledger/record.ts'
import { requireRegion } from '../../../interns/intern-region.ts'
import { route } from '../../route.ts'
import { SessionParams } from '../params.ts'

const SessionRequest = z
  .object({
    id: z.string().describe('The ID of the request, as in `GET /generation`.'),
    run_id: z.string(),
    created_at: z.iso.datetime(),
    model: z.string(),
    provider_name: z.string().nullable(),
    outcome: z.enum(['success', 'failed', 'refused', 'client_left']),
    tokens_prompt: z.int(),
    tokens_completion: z.int(),
    cost_usd: z.number().describe('The cost with any credential.'),
    generation_time: z.number().nullable().describe('Milliseconds.'),
    is_shared: z
      .boolean()
      .describe('Whether a run of another session was in flight, so that the request can belong to that one.'),
  })
  .meta({ id: 'InternSessionRequest', description: 'A model request during a session of an intern.' })

export const listInternSessionRequests = route({
  method: 'get',
  path: '/interns/{internId}/sessions/{sessionId}/requests',
  tag: 'interns',
  key: 'api',
  summary: 'List the model requests of a session, oldest first',
  description:
    'The requests that were sent with the key of the intern during the runs of the session, and their total cost. Available to everyone who can see the intern. Requests are written within a second of their end. Runs that ended before an upgrade to this version have none.',
  request: {
    params: SessionParams,
    query: z.object({
      limit: wholeNumber({ min: 1, max: 500 }).default(200),
      starting_after: z
        .string()
        .regex(/^\d{1,15} .{1,256}$/, 'must be the next_cursor of an earlier page')
        .optional()
        .describe('The `next_cursor` of the previous page.'),
    }),
  },
  response: z.object({
    data: z.object({
      requests: z.array(SessionRequest),
      request_count: z.int().describe('The number of all requests of the session.'),
      total_cost_usd: z.number().describe('The cost of all requests of the session, with any credential.'),
    }),
    has_more: z.boolean(),
    next_cursor: z.string().optional(),
  }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ params: { internId, sessionId }, query, caller, host }, deps) => {
    await requireRegion(deps, caller, host)
    const { limit, starting_after: cursor } = query
    const { id } = await findIntern(deps, caller, internId)
    const windows = await findRunWindows(deps, id, sessionId)
    const page = { limit: limit + 1, after: parseCursor(cursor) }
    const [foundRecords, total] = await Promise.all([
      readRequestsInWindows(deps.db.reportQuery, windows, page),
      readCostInWindows(deps.db.reportQuery, windows),
    ])
    const records = foundRecords.slice(0, limit)
    const first = records[0]
    const last = records.at(-1)
    const pageRange = first && last && { sessionId, from: startTimeOf(first), to: startTimeOf(last) }
    const otherSessions = pageRange ? await findConcurrentWindows(deps, id, pageRange) : []
    const hasMore = foundRecords.length > limit
    return {
      data: {
        requests: records.map((record) => requestItem(record, windows, otherSessions)),
        request_count: total.count,
        total_cost_usd: toUsd(total.cost),
      },
      has_more: hasMore,
      next_cursor: hasMore && last ? `${startTimeOf(last)} ${last.id}` : undefined,
    }
  },
})

const startTimeOf = ({ created_at }: GenerationRecord) => Date.parse(created_at)

function parseCursor(cursor: string | undefined) {
  const [, at, id] = /^(\d+) (.+)$/.exec(cursor ?? '') ?? []
  return at === undefined || id === undefined ? undefined : { at: Number(at), id }
}

function requestItem(record: GenerationRecord, windows: RunWindow[], otherSessions: RunWindow[]) {
  const request = { keyHash: record.key_hash, at: startTimeOf(record) }
  const { id, created_at, model, provider_name, outcome, tokens_prompt, tokens_completion, generation_time } = record
  return {
    id,
    created_at,
    model,
    provider_name,
    outcome,
    tokens_prompt,
    tokens_completion,
    generation_time,
    // Every listed request is in a window of this session.
    run_id: windows.find((window) => wasSentInWindow(request, window))?.runId ?? '',
    cost_usd: record.upstream_inference_cost,
    is_shared: otherSessions.some((window) => wasSentInWindow(request, window)),
  }
}
