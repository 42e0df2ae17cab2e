import { type Endpoint, type Model, parseEndpointId } from '#catalogue/index/model.ts'
import type { Snapshot } from '#catalogue/index/snapshot.ts'
import { readEndpointHistory } from '#catalogue/measurements/endpoint-history.ts'
import { requireModel } from '#gateway/request/resolve-models.ts'
import { dayMs, isoTime } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import { Instant } from '#platform/json/instant.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'

const Percentiles = z
  .object({ p50: z.number(), p75: z.number(), p90: z.number(), p99: z.number() })
  .nullable()
  .describe('Null with fewer than five measurements.')

const Point = z.object({
  date: z.string().describe('The start of the hour or day.'),
  latency: Percentiles.describe('Milliseconds to the first token; null with fewer than five measurements.'),
  throughput: Percentiles.describe('Tokens per second; null with fewer than five measurements.'),
  uptime: z.number().nullable().describe('Percentage of successful requests; null without requests.'),
})

const EndpointHistory = z
  .object({
    endpoint_id: z.string(),
    model_id: z.string(),
    provider_name: z.string(),
    tag: z.string(),
    points: z.array(Point),
  })
  .meta({ id: 'EndpointHistory', description: 'The measurements of one endpoint, oldest first.' })

const defaultDays = { hour: 1, day: 30 } as const

export const getEndpointHistory = route({
  method: 'get',
  path: '/endpoints/history',
  tag: 'endpoints',
  key: 'any',
  canBePublic: true,
  summary: 'Get latency, throughput and uptime of endpoints over time',
  description:
    'Covers one endpoint, or all endpoints of a model, by hour or day, for as long as single requests are stored. Hours without measurements are omitted. Requests of all organizations count, as for the current figures.',
  request: {
    query: z.object({
      model: z.string().min(1).max(320).optional().describe('ID, canonical slug or alias.'),
      endpoint_id: z
        .string()
        .min(1)
        .max(400)
        .optional()
        .describe('Alternative to `model`: one endpoint, as returned by `GET /generation`.'),
      granularity: z.enum(['hour', 'day']).default('hour').describe('The length of a bucket.'),
      from: Instant.optional().describe(
        'Start, such as 2030-01-31T00:00:00Z. Defaults to 1 day before `to`; with the granularity `day`, 30 days before.',
      ),
      to: Instant.optional().describe('End, such as 2030-02-01T00:00:00Z. Defaults to now.'),
    }),
  },
  response: z.object({ data: z.array(EndpointHistory) }),
  faults: ['invalid', 'unauthenticated', 'not_found'],
  handler: async ({ query }, deps) => {
    const snapshot = deps.catalogue.current()
    const endpoints = findEndpoints(snapshot, query)
    const to = query.to === undefined ? deps.now() : Date.parse(query.to)
    const from = query.from === undefined ? to - defaultDays[query.granularity] * dayMs : Date.parse(query.from)
    const ids = endpoints.map(({ endpoint }) => endpoint.id)
    const histories = await readEndpointHistory(deps, ids, { from, to, granularity: query.granularity })
    const data = endpoints.map(({ model, endpoint }) => ({
      endpoint_id: endpoint.id,
      model_id: model.id,
      provider_name: snapshot.findProvider(endpoint.provider)?.name ?? endpoint.provider,
      tag: endpoint.tag,
      points: (histories.get(endpoint.id) ?? []).map(({ start, latencyMs, throughput, uptime }) => ({
        date: isoTime(start),
        latency: latencyMs,
        throughput,
        uptime,
      })),
    }))
    return { data }
  },
})

type HistoryQuery = { model?: string | undefined; endpoint_id?: string | undefined }

/** @throws Fault `not_found`; `invalid` unless exactly one of the two parameters is given. */
function findEndpoints(
  snapshot: Pick<Snapshot, 'findModel'>,
  { model: name, endpoint_id: id }: HistoryQuery,
): { model: Model; endpoint: Endpoint }[] {
  if (name !== undefined && id === undefined) {
    const model = requireModel(snapshot, name)
    return model.endpoints.map((endpoint) => ({ model, endpoint }))
  }
  if (id !== undefined && name === undefined) {
    const model = requireModel(snapshot, parseEndpointId(id).modelId)
    const endpoint = model.endpoints.find((candidate) => candidate.id === id)
    if (!endpoint) throw new Fault('not_found', `Endpoint "${id}" not found.`)
    return [{ model, endpoint }]
  }
  throw new Fault('invalid', 'Invalid request: either model or endpoint_id is required')
}
