import type { Caller, CallerScope } from '#identity/accounts/caller.ts'
import { resolveUserId } from '#identity/accounts/members/members.ts'
import { findWorkspace } from '#identity/accounts/workspaces.ts'
import { clampToColumn, toPicoUsd } from '#platform/core/pico-usd.ts'
import type { Query } from '#platform/db/db.ts'
import { booleanParameter } from '#platform/json/boolean-parameter.ts'
import { Instant } from '#platform/json/instant.ts'
import { listParameter } from '#platform/json/list-parameter.ts'
import { z } from '#platform/json/schema.ts'
import type { RequestTag } from '#spend/ledger/generation.ts'
import type { GenerationFilter } from '#spend/ledger/list/generation-filter.ts'

const outcomes = ['success', 'failed', 'refused', 'client_left'] as const

const NameFilter = z.string().min(1).max(320).optional()
const decimalNumber = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/**
 * A bound in a query. An empty value is refused: read as 0, it would match every request, and `POST /generations/release` would
 * release all of them.
 */
const BoundFilter = z
  .preprocess(
    (value) => (typeof value === 'string' && !decimalNumber.test(value) ? Number.NaN : value),
    z.coerce.number({ error: 'must be a number, at least 0' }).min(0).max(Number.MAX_SAFE_INTEGER),
  )
  .optional()

/** The filters of the request log. */
export const GenerationFilters = z.object({
  from: Instant.optional().describe('Only requests that started at or after this time.'),
  to: Instant.optional().describe('Only requests that started before this time.'),
  api_key_hash: NameFilter.describe('Filter by key.'),
  user_id: NameFilter.describe('Filter by ID of the member, or with a management key also by email address.'),
  workspace_id: NameFilter.describe('Filter by ID or slug of the workspace.'),
  session_id: NameFilter.describe('Filter by session.'),
  tag: z
    .string()
    .regex(/^[^=]{1,64}=.{1,128}$/s, 'must have the form name=value')
    .optional()
    .describe('Filter by tag, as `name=value`: a pair of `metadata` of the request.'),
  model: NameFilter.describe('Filter by the model that responded, or by the requested model if none did.'),
  provider: NameFilter.describe('Filter by slug of the provider.'),
  preset: NameFilter.describe('Filter by slug of the preset.'),
  guardrail_id: z
    .uuid()
    .optional()
    .describe('Only requests that this guardrail refused, or in which its filters matched.'),
  outcome: listParameter(outcomes)
    .optional()
    .describe('Comma-separated: `success`, `failed`, `refused`, `client_left`.'),
  error: NameFilter.describe('Filter by kind of error, as in `error.kind`.'),
  streamed: booleanParameter('Filter by streamed or not streamed.').optional(),
  unconfirmed: z
    .enum(['true'])
    .describe('Only requests for which limits are charged more than the reported cost.')
    .transform(() => true)
    .optional(),
  min_cost: BoundFilter.describe('Minimum cost, in USD.'),
  max_cost: BoundFilter.describe('Maximum cost, in USD.'),
  min_latency: BoundFilter.describe('Minimum time to the first token, in milliseconds.'),
  max_latency: BoundFilter.describe('Maximum time to the first token, in milliseconds.'),
  min_generation_time: BoundFilter.describe('Minimum total time, in milliseconds.'),
  max_generation_time: BoundFilter.describe('Maximum total time, in milliseconds.'),
})

type CatalogueDep = { catalogue: { current: () => { findProvider: (name: string) => { slug: string } | undefined } } }
type FilterCaller = CallerScope & Pick<Caller, 'keyKind' | 'access'>

/** Converts the filters to those of the ledger. */
export async function toLedgerFilter(
  deps: { db: { query: Query } } & CatalogueDep,
  caller: FilterCaller,
  query: z.infer<typeof GenerationFilters>,
): Promise<GenerationFilter> {
  const { from, to, user_id: user, workspace_id: workspace } = query
  const { min_cost, max_cost, min_latency, max_latency, min_generation_time, max_generation_time } = query
  const { organizationId, keyKind } = caller
  // A caller that cannot see all members must not learn whether a member has this address.
  const memberId = user && keyKind === 'management' ? await resolveUserId(deps.db.query, organizationId, user) : user
  return {
    from: from === undefined ? undefined : Date.parse(from),
    to: to === undefined ? undefined : Date.parse(to),
    keyHash: query.api_key_hash,
    // An address that no member has matches nothing, like an unknown id.
    userId: user && (memberId ?? user),
    workspaceId: await findWorkspaceId(deps, caller, workspace),
    sessionId: query.session_id,
    tag: query.tag === undefined ? undefined : parseTag(query.tag),
    model: query.model,
    provider: query.provider && (deps.catalogue.current().findProvider(query.provider)?.slug ?? query.provider),
    preset: query.preset,
    guardrailId: query.guardrail_id,
    outcome: query.outcome,
    error: query.error,
    streamed: query.streamed,
    unconfirmed: query.unconfirmed,
    // Postgres refuses to compare its integer columns with larger numbers and with fractions.
    minCost: min_cost === undefined ? undefined : clampToColumn(toPicoUsd(min_cost)),
    maxCost: max_cost === undefined ? undefined : clampToColumn(toPicoUsd(max_cost)),
    minLatencyMs: min_latency === undefined ? undefined : Math.ceil(min_latency),
    maxLatencyMs: max_latency === undefined ? undefined : Math.floor(max_latency),
    minDurationMs: min_generation_time === undefined ? undefined : Math.ceil(min_generation_time),
    maxDurationMs: max_generation_time === undefined ? undefined : Math.floor(max_generation_time),
  }
}

function parseTag(text: string): RequestTag {
  const separator = text.indexOf('=')
  return [text.slice(0, separator), text.slice(separator + 1)]
}

/**
 * The workspace to filter by. Without a name: the session's workspace for a signed-in developer, and all workspaces for others. An
 * unknown name is used as an id, because the workspace can be deleted.
 */
async function findWorkspaceId(deps: { db: { query: Query } }, caller: FilterCaller, name: string | undefined) {
  if (name === undefined) return caller.access === 'developer' ? caller.workspaceId : undefined
  return (await findWorkspace(deps, caller, name))?.id ?? name
}
