import type { Caller } from '#identity/accounts/caller.ts'
import { isoTime, type Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import { type PicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { GuardrailRecord } from '#policy/guardrails/guardrail.ts'
import { type Budget, type LastingSubject, layerOf, limitOf, resetsAt } from '#spend/budgets/budget.ts'
import type { Budgets, Reservation } from '#spend/budgets/budgets.ts'
import type { ShorterAnswer } from './bounds/shorter-answer.ts'
import type { TurnLimits } from './turn-limits.ts'

type ReservationDeps = { budgets: Pick<Budgets, 'reserve'>; now: Now }

/**
 * Every limit that counts what a caller spends, in the order in which they are checked: those of the policies in force, the key's own,
 * those of turns of an intern.
 */
export function budgetsFor(
  { keyHash, spendLimit }: Pick<Caller, 'keyHash' | 'spendLimit'>,
  policies: readonly Budget[],
  turns?: TurnLimits,
): Budget[] {
  const found = [...policies]
  if (spendLimit) found.push(ownBudget(keyHash, spendLimit))
  if (turns) found.push(...turns.budgets)
  return found
}

/** A caller that is remembered is never changed: a changed key is read anew. */
const own = new WeakMap<NonNullable<Caller['spendLimit']>, Budget>()

function ownBudget(hash: string, spendLimit: NonNullable<Caller['spendLimit']>): Budget {
  const known = own.get(spendLimit)
  if (known) return known
  const { usd, reset, includesByok } = spendLimit
  const budget: Budget = {
    id: `key:${hash}`,
    subject: { kind: 'key', hash },
    limit: limitOf(usd),
    interval: reset,
    includesByok,
  }
  own.set(spendLimit, budget)
  return budget
}

/**
 * Sets money aside for a request.
 * @param shorter the request with ever shorter answers: where an intern's turns leave no room for the longest, the first that fits is taken.
 * @returns what is set aside, and `less` where a shorter answer was taken.
 * @throws Fault `forbidden` with limit and reset time when a limit leaves no room, `rate_limited` when requests under
 * way hold the room, `unavailable` when nobody can say: what cannot be accounted for is not spent.
 */
export async function reserveBudgets(
  deps: ReservationDeps,
  budgets: readonly Budget[],
  guardrails: readonly GuardrailRecord[],
  most: PicoUsd,
  turns?: TurnLimits,
  shorter?: Iterator<ShorterAnswer, undefined>,
): Promise<{ reservation: Reservation; less?: ShorterAnswer | undefined }> {
  let less: ShorterAnswer | undefined
  let reserved = await reserve(deps, budgets, most)
  while (shorter && 'refusedBy' in reserved && reserved.outcome === 'spent' && isOfTurn(reserved.refusedBy)) {
    const next = shorter.next().value
    if (!next) break
    less = next
    reserved = await reserve(deps, budgets, less.cost)
  }
  if ('reservation' in reserved) return { reservation: reserved.reservation, less }
  const need = less?.cost ?? most
  const { refusedBy, outcome } = reserved
  const { who, metadata: holder } = budgetHolder(refusedBy, guardrails)
  const next = resetsAt(refusedBy, deps.now())
  const limit = toUsd(refusedBy.limit)
  const metadata = {
    ...holder,
    limit_usd: limit,
    needed_usd: toUsd(need),
    resets_at: next === null ? null : isoTime(next),
  }
  if (outcome === 'reserved') {
    throw new Fault('rate_limited', `The spending limit of ${who} is held by requests under way. Try again shortly.`, {
      metadata,
      retryAfterSeconds: 1,
    })
  }
  if (outcome === 'cut_off') {
    throw new Fault(
      'rate_limited',
      `The rest of the spending limit of ${who} is held by a server that has not reported for some seconds. It returns when that server is reachable again.`,
      { metadata, retryAfterSeconds: 10 },
    )
  }
  await turns?.refused(refusedBy, need)
  const when = next === null ? 'It does not reset.' : `It resets at ${isoTime(next)}.`
  throw new Fault(
    'forbidden',
    `The spending limit of ${who}, ${limit} USD, leaves no room for this request, which may cost up to ${toUsd(need)} USD. ${when} A smaller max_tokens may fit, and an admin can raise the limit.`,
    { metadata },
  )
}

const isOfTurn = ({ subject: { kind } }: Budget) => kind === 'turn' || kind === 'session'

async function reserve({ budgets: held }: ReservationDeps, budgets: readonly Budget[], need: PicoUsd) {
  try {
    return await held.reserve(budgets, need)
  } catch {
    throw new Fault('unavailable', 'Spending cannot be accounted for now, so nothing is spent. Try again shortly.')
  }
}

/** The owner of a limit, for a message and for the metadata of a fault. */
export function budgetHolder({ subject }: Budget, guardrails: readonly GuardrailRecord[]) {
  if (subject.kind === 'key') return { who: 'the key', metadata: { rule: 'limit', layer: layerOf(subject) } }
  if (subject.kind === 'turn') return { who: 'a turn of the intern', metadata: { rule: subject.part } }
  if (subject.kind === 'session') return { who: 'a session of the intern', metadata: { rule: 'session_max_cost_usd' } }
  if (subject.kind === 'pool') return poolHolder(subject)
  const each = subject.spender.kind === 'member' ? 'each member' : 'each key'
  return {
    who: `${nameOf(guardrails, subject.id)} for ${each}`,
    metadata: { guardrail_id: subject.id, rule: 'limit_usd', layer: layerOf(subject) },
  }
}

function poolHolder(subject: Extract<LastingSubject, { kind: 'pool' }>) {
  const { kind, id } = subject.pool
  const owner = kind === 'workspace' ? { workspace_id: id } : { organization_id: id }
  return { who: `the ${kind}`, metadata: { rule: 'budget', layer: layerOf(subject), ...owner } }
}

function nameOf(guardrails: readonly GuardrailRecord[], id: string): string {
  return `the guardrail ${JSON.stringify(guardrails.find((one) => one.id === id)?.name ?? id)}`
}
