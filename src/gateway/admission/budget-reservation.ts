import type { Caller } from '#identity/accounts/caller.ts'
import { isoTime, type Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import { type PicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { GuardrailRecord } from '#policy/guardrails/guardrail.ts'
import { type Budget, isPersistent, type PersistentSubject, resetsAt, spendLimitNameOf } from '#spend/budgets/budget.ts'
import type { Budgets, Reservation } from '#spend/budgets/budgets.ts'
import { keyBudget } from '#spend/budgets/key-budget.ts'
import type { Grouping } from '#spend/ledger/request-group.ts'
import type { PricedRequest } from './bounds/shorter-variants.ts'
import type { TurnLimits } from './turn-limits.ts'

type ReservationDeps = { budgets: Pick<Budgets, 'reserve'>; now: Now }

/**
 * Returns all budgets that count a request of the caller, in the order of checks: those of guardrails and pools, the key's, those
 * of the intern's turn and session.
 */
export function budgetsFor(
  { keyHash, spendLimit }: Pick<Caller, 'keyHash' | 'spendLimit'>,
  policyBudgets: readonly Budget[],
  turns?: TurnLimits,
): Budget[] {
  const budgets = [...policyBudgets]
  // Accounts are looked up by object identity, so an unchanged limit must always be the same object.
  if (spendLimit) budgets.push(budgetsOfKeys.getOrInsertComputed(spendLimit, () => keyBudget(keyHash, spendLimit)))
  if (turns) budgets.push(...turns.budgets)
  return budgets
}

/** Cached by the limit object of a key, which is replaced and never changed. */
const budgetsOfKeys = new WeakMap<NonNullable<Caller['spendLimit']>, Budget>()

/** The budgets that count a request, and the guardrails that set some of them. */
type ReservationLimits = {
  budgets: readonly Budget[]
  guardrails: readonly GuardrailRecord[]
  turns?: TurnLimits | undefined
}

/**
 * Reserves the highest cost of a request in all budgets.
 * @param original the request as the client sent it.
 * @param shorterVariants the request with ever shorter responses. If the budget of an intern's turn or session is too small for the
 * original, the first variant that fits is reserved.
 * @returns the reservation, and the request that it covers.
 * @throws Fault `forbidden` if a limit is too small, `rate_limited` if requests in flight reserve the rest of it,
 * `unavailable` if the budgets cannot be read.
 */
export async function reserveBudgets(
  deps: ReservationDeps,
  { budgets, guardrails, turns }: ReservationLimits,
  original: PricedRequest,
  shorterVariants: Iterable<PricedRequest> = [],
): Promise<{ reservation: Reservation; covered: PricedRequest }> {
  let covered = original
  let result = await reserve(deps, budgets, original.maxCost)
  if (exceedsTurnBudget(result)) {
    for (const variant of shorterVariants) {
      covered = variant
      result = await reserve(deps, budgets, variant.maxCost)
      if (!exceedsTurnBudget(result)) break
    }
  }
  if ('reservation' in result) return { reservation: result.reservation, covered }
  if (result.outcome === 'spent') await turns?.onRefusal(result.refusedBy, covered.maxCost)
  throw refusalFault(result, covered.maxCost, guardrails, deps.now())
}

type ReserveResult = Awaited<ReturnType<Budgets['reserve']>>
type Refusal = Exclude<ReserveResult, { reservation: Reservation }>

/** Whether the budget of an intern's turn or session is too small. */
const exceedsTurnBudget = (result: ReserveResult) =>
  'refusedBy' in result && result.outcome === 'spent' && !isPersistent(result.refusedBy.subject)

function refusalFault(
  { refusedBy, outcome }: Refusal,
  maxCost: PicoUsd,
  guardrails: readonly GuardrailRecord[],
  now: number,
): Fault {
  const { name, metadata: limitMetadata } = describeLimit(refusedBy, guardrails)
  const resetAt = resetsAt(refusedBy, now)
  const limit = toUsd(refusedBy.limit)
  const metadata = {
    ...limitMetadata,
    limit_usd: limit,
    needed_usd: toUsd(maxCost),
    resets_at: resetAt === null ? null : isoTime(resetAt),
  }
  if (outcome === 'reserved') {
    const message = `The spending limit of ${name} is reserved by requests in flight. Try again shortly.`
    return new Fault('rate_limited', message, { metadata, retryAfterSeconds: 1 })
  }
  if (outcome === 'cut_off') {
    const message = `The rest of the spending limit of ${name} is reserved by a server that stopped reporting. It becomes available when that server is reachable again.`
    return new Fault('rate_limited', message, { metadata, retryAfterSeconds: 10 })
  }
  const resetText = resetAt === null ? 'It does not reset.' : `It resets at ${isoTime(resetAt)}.`
  return new Fault(
    'forbidden',
    `The spending limit of ${name}, ${limit} USD, leaves no room for this request, which may cost up to ${toUsd(maxCost)} USD. ${resetText} A smaller max_tokens or a shorter input may fit, and an admin can raise the limit.`,
    { metadata },
  )
}

async function reserve(deps: ReservationDeps, budgets: readonly Budget[], amount: PicoUsd): Promise<ReserveResult> {
  try {
    return await deps.budgets.reserve(budgets, amount)
  } catch {
    const message = 'Spending limits cannot be checked now, so the request was not sent. Try again shortly.'
    throw new Fault('unavailable', message)
  }
}

/**
 * Describes the limit of a budget: the noun for messages ("The spending limit of …"), and the metadata of a fault. The field
 * `rule` is the setting of the limit, and `layer` the name of the limit (`spendLimitNames` in `budget.ts`).
 */
export function describeLimit({ subject }: Budget, guardrails: readonly GuardrailRecord[]) {
  if (subject.kind === 'key') return { name: 'the key', metadata: { rule: 'limit', layer: spendLimitNameOf(subject) } }
  if (subject.kind === 'turn') return { name: 'a turn of the intern', metadata: { rule: subject.part } }
  if (subject.kind === 'session') return { name: 'a session of the intern', metadata: { rule: 'session_max_cost_usd' } }
  if (subject.kind === 'pool') return describePoolLimit(subject)
  if (subject.kind === 'group') {
    const { grouping, value } = subject
    const group = grouping.by === 'session' ? { session_id: value } : { tag_name: grouping.name, tag_value: value }
    return {
      name: `${nameOf(guardrails, subject.guardrailId)} for ${groupName(grouping, value)}`,
      metadata: { guardrail_id: subject.guardrailId, rule: 'group_limits', layer: spendLimitNameOf(subject), ...group },
    }
  }
  const each = subject.spender.kind === 'member' ? 'each member' : 'each key'
  return {
    name: `${nameOf(guardrails, subject.guardrailId)} for ${each}`,
    metadata: { guardrail_id: subject.guardrailId, rule: 'limit_usd', layer: spendLimitNameOf(subject) },
  }
}

const groupName = (grouping: Grouping, value: string) =>
  `the ${grouping.by === 'session' ? 'session' : `tag ${grouping.name}`} ${JSON.stringify(value)}`

function describePoolLimit(subject: Extract<PersistentSubject, { kind: 'pool' }>) {
  const { kind, id } = subject.pool
  const owner = kind === 'workspace' ? { workspace_id: id } : { organization_id: id }
  return { name: `the ${kind}`, metadata: { rule: 'budget', layer: spendLimitNameOf(subject), ...owner } }
}

function nameOf(guardrails: readonly GuardrailRecord[], id: string): string {
  return `the guardrail ${JSON.stringify(guardrails.find((guardrail) => guardrail.id === id)?.name ?? id)}`
}
