import type { Caller } from '#identity/accounts/caller.ts'
import { namedUser } from '#identity/accounts/members/members.ts'
import { findWorkspace } from '#identity/accounts/workspaces.ts'
import { Instant } from '#platform/core/instant.ts'
import { picoUsdOf } from '#platform/core/pico-usd.ts'
import type { Query } from '#platform/db/db.ts'
import { listParameter } from '#platform/json/list-parameter.ts'
import { z } from '#platform/json/schema.ts'
import type { GenerationFilter } from '#spend/ledger/list-generations.ts'

const outcomes = ['success', 'failed', 'refused', 'client_left'] as const

const name = z.string().min(1).max(320).optional()
const bound = z.coerce
  .number({ error: 'must be a number from 0 on' })
  .min(0)
  .max(2 ** 53 - 1)
  .optional()

/** What the request log is searched by. */
export const GenerationFilters = z.object({
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
  outcome: listParameter(outcomes)
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

type Viewer = Pick<Caller, 'organizationId' | 'keyKind'>

/** The filters in terms of the ledger. */
export async function filterOf(
  deps: { db: { query: Query } },
  caller: Viewer,
  query: z.infer<typeof GenerationFilters>,
): Promise<GenerationFilter> {
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
