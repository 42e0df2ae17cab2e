import type { Endpoint } from '#catalogue/index/model.ts'
import type { CatalogueHolder } from '#catalogue/sources/catalogue-holder.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import type { Config } from '#platform/config/settings.ts'
import { dayMs, isoTime, type Now } from '#platform/core/clock.ts'
import { clientClosedFault, Fault } from '#platform/core/fault.ts'
import type { Db } from '#platform/db/db.ts'
import { dayOf } from '#spend/ledger/days.ts'
import { type PastScope, readPastRequests, readSpentOnDays } from '#spend/ledger/past-requests.ts'
import type { GuardrailRecord } from '../guardrails/guardrail.ts'
import { type GovernedTargets, proposeGuardrail } from '../guardrails/propose-guardrail.ts'
import { OwnerReachability } from './owner-reachability.ts'
import { firstDayOf } from './past-budget.ts'
import { PastBudgets } from './past-budgets.ts'
import type { RequestOwner } from './past-verdict.ts'
import { createEffectFinder } from './replay-effects.ts'
import type { Replay, ReplayRequest } from './replay-response.ts'
import { ReplayTally } from './replay-tally.ts'
import { listAssumptions } from './replay-texts.ts'

type ReplayDeps = {
  db: Db
  now: Now
  config: Pick<Config, 'zdr_vendors'>
  catalogue: Pick<CatalogueHolder, 'current'>
  /** Which endpoints requests of an owner can reach now; by default all. */
  reachability?: ((owner: RequestOwner) => Promise<(endpoint: Endpoint) => boolean>) | undefined
}

type Period = { from: number; to: number }

const maxDays = 92

/**
 * Applies a policy to the metered requests of a period, and returns its effects. It reads page by page, so that other
 * requests are served in between, and stores only sums.
 * @throws Fault `not_found`, `invalid`, `client_closed_request`.
 */
export async function replay(
  deps: ReplayDeps,
  caller: Caller,
  id: string,
  request: ReplayRequest,
  signal: AbortSignal,
): Promise<Replay> {
  const period = readPeriod(deps, request)
  const { guardrail, governed } = await proposeGuardrail(deps, caller, id, request.policy)
  const scope = {
    ...createReplayScope(guardrail, governed),
    readsTags: guardrail.policy.group_limits?.some(({ by }) => by === 'tag'),
  }
  const budgets = await loadBudgets(deps, guardrail, governed, scope, period)
  const tally = new ReplayTally(request.list)
  const reachability = new OwnerReachability(deps.reachability)
  const effectsOf = createEffectFinder(
    { ...deps, isReachable: reachability.isReachable },
    guardrail,
    budgets,
    period.from,
  )
  for await (const page of readPastRequests(deps, scope, period)) {
    if (signal.aborted) throw clientClosedFault()
    await reachability.load(page)
    for (const past of page) tally.add(past, effectsOf(past))
  }
  return {
    guardrail_id: id,
    from: isoTime(period.from),
    to: isoTime(period.to),
    ...tally.result(),
    notes: listAssumptions(guardrail.policy),
  }
}

function readPeriod({ now }: { now: Now }, { from, to }: ReplayRequest): Period {
  const end = to === undefined ? now() : Date.parse(to)
  const start = from === undefined ? end - 7 * dayMs : Date.parse(from)
  if (start >= end) throw new Fault('invalid', 'Invalid request: from: must be before to')
  if (end - start > maxDays * dayMs) {
    throw new Fault('invalid', `Invalid request: from: must be at most ${maxDays} days before to`)
  }
  return { from: start, to: end }
}

function createReplayScope({ workspaceId }: GuardrailRecord, governed: GovernedTargets): PastScope {
  if (governed.everybody) return { workspaceId, includes: () => true }
  const { keyHashes, userIds } = governed
  return { workspaceId, includes: ({ keyHash, userId }) => keyHashes.has(keyHash) || userIds.has(userId) }
}

/** The limits at the start of the replay, with the spending from earlier in their period. */
async function loadBudgets(
  deps: ReplayDeps,
  { policy, createdAt }: GuardrailRecord,
  governed: GovernedTargets,
  scope: PastScope,
  { from }: Period,
): Promise<PastBudgets> {
  if (policy.limit_usd === null) return new PastBudgets(policy, governed, from, [])
  const day = dayOf(from)
  // Without an interval, a limit counts from the creation of its guardrail.
  const firstDay = policy.reset_interval === null ? Math.min(dayOf(createdAt), day) : firstDayOf(policy, from)
  const days = { from: firstDay, to: day, includesByok: policy.include_byok_in_budgets }
  const budgets = new PastBudgets(policy, governed, from, await readSpentOnDays(deps, scope, days))
  for await (const page of readPastRequests(deps, scope, { from: day * dayMs, to: from })) {
    for (const past of page) budgets.count(past)
  }
  return budgets
}
