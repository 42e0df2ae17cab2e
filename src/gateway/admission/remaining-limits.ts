import { waitAtMost } from '#platform/async/wait-at-most.ts'
import { Fault } from '#platform/core/fault.ts'
import { toUsd } from '#platform/core/pico-usd.ts'
import type { GuardrailRecord } from '#policy/guardrails/guardrail.ts'
import type { Budget } from '#spend/budgets/budget.ts'
import type { Budgets } from '#spend/budgets/budgets.ts'
import { describeLimit } from './budget-reservation.ts'

/** Within this time, other servers return idle money: they report every 500 ms. */
const maxWaitMs = 600

/** The check of each limit, shared by all requests. A changed limit is a new budget object, which is checked again. */
const roomChecks = new WeakMap<Budget, Promise<boolean>>()

/**
 * Ends a request in flight if a limit was lowered below what is spent and reserved, including its own reservation.
 * Checks only limits that are new, or lower than when the request started.
 * @returns the limits that are new. @throws Fault `forbidden` that names the limit.
 */
export async function requireRemainingLimits(
  budgets: Pick<Budgets, 'reserve'>,
  admittedLimits: readonly Budget[],
  currentLimits: readonly Budget[],
  guardrails: readonly GuardrailRecord[],
): Promise<Budget[]> {
  const newLimits: Budget[] = []
  for (const budget of currentLimits) {
    const earlier = admittedLimits.find(({ id }) => id === budget.id)
    if (earlier && earlier.limit <= budget.limit && earlier.interval === budget.interval) continue
    if (!earlier) newLimits.push(budget)
    if (await roomChecks.getOrInsertComputed(budget, () => hasRoom(budgets, budget))) continue
    const { name, metadata } = describeLimit(budget, guardrails)
    const limit = toUsd(budget.limit)
    throw new Fault(
      'forbidden',
      `The spending limit of ${name} is now ${limit} USD, less than is spent and reserved.`,
      { metadata: { ...metadata, limit_usd: limit } },
    )
  }
  return newLimits
}

/**
 * Whether the smallest amount still fits the limit, over all servers. Without a response within `maxWaitMs` it does
 * not. If the store fails, the request continues.
 */
async function hasRoom(budgets: Pick<Budgets, 'reserve'>, budget: Budget): Promise<boolean> {
  try {
    const hasRoomPromise = budgets.reserve([budget], 1n).then((reserved) => {
      if (!('reservation' in reserved)) return false
      // Gives the amount back.
      reserved.reservation.settle({ cost: 0n, byok: false })
      return true
    })
    // A failure after the wait has no other handler.
    hasRoomPromise.catch(() => {})
    return await waitAtMost(maxWaitMs, hasRoomPromise, false)
  } catch {
    return true
  }
}
