import type { Caller } from '#identity/accounts/caller.ts'
import { isoTime, type Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import { type PicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { GuardrailRecord } from '#policy/guardrails/guardrail.ts'
import { type Budget, isLasting, type LastingSubject, resetsAt, spendLimitNameOf } from '#spend/budgets/budget.ts'
import type { Budgets, Reservation } from '#spend/budgets/budgets.ts'
import { keyBudget } from '#spend/budgets/key-budget.ts'
import type { Grouping } from '#spend/ledger/request-group.ts'
import type { ShortenedRequest } from './bounds/shorter-answer.ts'
import type { TurnLimits } from './turn-limits.ts'

type ReservationDeps = { budgets: Pick<Budgets, 'reserve'>; now: Now }

/** All limits that count a request of the caller, in the order of checks: policies, the key, turns of an intern. */
export function budgetsFor(
  { keyHash, spendLimit }: Pick<Caller, 'keyHash' | 'spendLimit'>,
  policies: readonly Budget[],
  turns?: TurnLimits,
): Budget[] {
  const budgets = [...policies]
  // Accounts are looked up by object identity, so an unchanged limit must always be the same object.
  if (spendLimit) budgets.push(budgetsOfKeys.getOrInsertComputed(spendLimit, () => keyBudget(keyHash, spendLimit)))
  if (turns) budgets.push(...turns.budgets)
  return budgets
}

/** Cached by the limit object of a key, which is replaced and never changed. */
const budgetsOfKeys = new WeakMap<NonNullable<Caller['spendLimit']>, Budget>()

/**
 * Reserves the highest cost of a request in all budgets.
 * @param shorter variants of the request with ever shorter answers. If the budget of an intern's turn is too small, the
 * first variant that fits is used.
 * @returns the reservation, and the shorter request if one was used.
 * @throws Fault `forbidden` if a limit is too small, `rate_limited` if requests in flight reserve the rest of it,
 * `unavailable` if the budgets cannot be read.
 */
export async function reserveBudgets(
  deps: ReservationDeps,
  budgets: readonly Budget[],
  guardrails: readonly GuardrailRecord[],
  highestCost: PicoUsd,
  turns?: TurnLimits,
  shorter?: Iterator<ShortenedRequest, undefined>,
): Promise<{ reservation: Reservation; shorterRequest?: ShortenedRequest | undefined }> {
  let shorterRequest: ShortenedRequest | undefined
  let result = await reserve(deps, budgets, highestCost)
  while (shorter && 'refusedBy' in result && result.outcome === 'spent' && isTurnBudget(result.refusedBy)) {
    const nextShorter = shorter.next().value
    if (!nextShorter) break
    shorterRequest = nextShorter
    result = await reserve(deps, budgets, shorterRequest.cost)
  }
  if ('reservation' in result) return { reservation: result.reservation, shorterRequest }
  const need = shorterRequest?.cost ?? highestCost
  if (result.outcome === 'spent') await turns?.onRefusal(result.refusedBy, need)
  throw refusalFault(result, need, guardrails, deps.now())
}

type Refusal = Exclude<Awaited<ReturnType<Budgets['reserve']>>, { reservation: Reservation }>

function refusalFault(
  { refusedBy, outcome }: Refusal,
  need: PicoUsd,
  guardrails: readonly GuardrailRecord[],
  now: number,
): Fault {
  const { name, metadata: ownerMetadata } = limitOwner(refusedBy, guardrails)
  const resetAt = resetsAt(refusedBy, now)
  const limit = toUsd(refusedBy.limit)
  const metadata = {
    ...ownerMetadata,
    limit_usd: limit,
    needed_usd: toUsd(need),
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
    `The spending limit of ${name}, ${limit} USD, leaves no room for this request, which may cost up to ${toUsd(need)} USD. ${resetText} A smaller max_tokens or a shorter input may fit, and an admin can raise the limit.`,
    { metadata },
  )
}

const isTurnBudget = ({ subject }: Budget) => !isLasting(subject)

async function reserve(deps: ReservationDeps, budgets: readonly Budget[], need: PicoUsd) {
  try {
    return await deps.budgets.reserve(budgets, need)
  } catch {
    throw new Fault(
      'unavailable',
      'Spending limits cannot be checked now, so the request was not sent. Try again shortly.',
    )
  }
}

/** The owner of a limit, for a message and for the metadata of a fault. */
export function limitOwner({ subject }: Budget, guardrails: readonly GuardrailRecord[]) {
  if (subject.kind === 'key') return { name: 'the key', metadata: { rule: 'limit', layer: spendLimitNameOf(subject) } }
  if (subject.kind === 'turn') return { name: 'a turn of the intern', metadata: { rule: subject.part } }
  if (subject.kind === 'session') return { name: 'a session of the intern', metadata: { rule: 'session_max_cost_usd' } }
  if (subject.kind === 'pool') return poolOwner(subject)
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

function poolOwner(subject: Extract<LastingSubject, { kind: 'pool' }>) {
  const { kind, id } = subject.pool
  const owner = kind === 'workspace' ? { workspace_id: id } : { organization_id: id }
  return { name: `the ${kind}`, metadata: { rule: 'budget', layer: spendLimitNameOf(subject), ...owner } }
}

function nameOf(guardrails: readonly GuardrailRecord[], id: string): string {
  return `the guardrail ${JSON.stringify(guardrails.find((guardrail) => guardrail.id === id)?.name ?? id)}`
}
