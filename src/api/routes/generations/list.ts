import { z } from 'zod'
import { namedUser } from '#accounts/members.ts'
import { findWorkspace } from '#accounts/workspaces.ts'
import { Instant } from '#lib/instant.ts'
import { listParameter } from '#lib/list-parameter.ts'
import { picoUsdOf } from '#lib/pico-usd.ts'
import { type GenerationFilter, listGenerations } from '#usage/list-generations.ts'
import type { ApiDeps } from '../../deps.ts'
import { route } from '../../route.ts'
import { GenerationAnswer, generationAnswer } from './generation.ts'

const outcomes = ['success', 'failed', 'refused', 'client_left'] as const

const name = z.string().min(1).max(320).optional()
const bound = z.coerce
  .number()
  .min(0)
  .max(2 ** 53 - 1)
  .optional()

const Query = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(50).describe('How many to return, 1 to 100.'),
  cursor: z.string().max(500).optional().describe('The `next_cursor` of an earlier page.'),
  from: Instant.optional().describe('Only those that began at or after this instant.'),
  to: Instant.optional().describe('Only those that began before this instant.'),
  api_key_hash: name.describe('Only those of this key.'),
  user_id: name.describe('Only those of this member, by id; with a management key also by e-mail address.'),
  workspace_id: name.describe('Only those of this workspace, by id or slug.'),
  session_id: name.describe('Only those of this session.'),
  model: name.describe('Only those that this model answered, or that asked for it and got no answer.'),
  provider: name.describe('Only those of this provider, by its slug.'),
  preset: name.describe('Only those that this preset filled in, by its slug.'),
  guardrail_id: z.uuid().optional().describe('Only those that this guardrail refused, or in which it found something.'),
  outcome: listParameter(z.enum(outcomes))
    .optional()
    .describe('Comma-separated: `success`, `failed`, `refused`, `client_left`.'),
  error: name.describe('Only those that were refused or failed this way, as `error.kind` tells it.'),
  streamed: z
    .enum(['true', 'false'])
    .optional()
    .describe('Only those that were streamed, or were not.')
    .transform((word) => word && word === 'true'),
  min_cost: bound.describe('The least they cost, in USD.'),
  max_cost: bound.describe('The most they cost, in USD.'),
  min_latency: bound.describe('The least time to the first token, in milliseconds.'),
  max_latency: bound.describe('The most time to the first token, in milliseconds.'),
  min_generation_time: bound.describe('The least time in all, in milliseconds.'),
  max_generation_time: bound.describe('The most time in all, in milliseconds.'),
})

export const listAllGenerations = route({
  method: 'get',
  path: '/generations',
  tag: 'usage',
  key: 'any',
  summary: 'The request log: what was metered for each request, newest first',
  description:
    'A management key sees the requests of its organization, an intern’s own key its own, every other key those of its workspace. A page looks at 5,000 requests at the most: with a filter that few of them pass it has fewer than `limit`, or none, and `next_cursor` says where the next one goes on. It is null where there are no older ones.',
  request: { query: Query },
  response: z.object({ data: z.array(GenerationAnswer), next_cursor: z.string().nullable() }),
  faults: ['invalid', 'unauthenticated'],
  handler: async ({ query, caller }, deps) => {
    const { data, nextCursor } = await listGenerations(deps, caller, await filterOf(deps, caller, query), query)
    return { data: data.map(generationAnswer), next_cursor: nextCursor ?? null }
  },
})

type Viewer = Parameters<typeof listGenerations>[1]

async function filterOf(deps: ApiDeps, caller: Viewer, query: z.infer<typeof Query>): Promise<GenerationFilter> {
  const { from, to, min_cost, max_cost, user_id: user, workspace_id: workspace } = query
  const { organizationId, keyKind } = caller
  // Only those who see all members may learn whether a member with this address exists.
  const named = user && keyKind === 'management' ? await namedUser(deps.db, organizationId, user) : user
  return {
    from: from === undefined ? undefined : Date.parse(from),
    to: to === undefined ? undefined : Date.parse(to),
    keyHash: query.api_key_hash,
    // An address that nobody has finds nothing, as an unknown id does.
    userId: user && (named ?? user),
    // Also one that is no more.
    workspaceId: workspace && ((await findWorkspace(deps, organizationId, workspace))?.id ?? workspace),
    sessionId: query.session_id,
    model: query.model,
    provider: query.provider,
    preset: query.preset,
    guardrailId: query.guardrail_id,
    outcome: query.outcome,
    error: query.error,
    streamed: query.streamed,
    minCost: min_cost === undefined ? undefined : picoUsdOf(min_cost),
    maxCost: max_cost === undefined ? undefined : picoUsdOf(max_cost),
    minLatencyMs: query.min_latency,
    maxLatencyMs: query.max_latency,
    minDurationMs: query.min_generation_time,
    maxDurationMs: query.max_generation_time,
  }
}
