import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '#platform/core/fault.ts'
import { toUsd } from '#platform/core/pico-usd.ts'
import type { GuardrailRecord } from '#policy/guardrails/guardrail.ts'
import type { Budget } from '#spend/budgets/budget.ts'
import type { Budgets } from '#spend/budgets/budgets.ts'
import { budgetHolder } from './budget-reservation.ts'

/** The time that other servers get to return money that they hold but do not need. */
const patienceMs = 600

type BudgetReserver = Pick<Budgets, 'reserve'>

/** Many requests under one limit ask the same at the same moment. A limit that is changed is another budget. */
const known = new WeakMap<Budget, Promise<boolean>>()

/**
 * A request that is under way goes on while its limits have room for what is spent and set aside, its own included.
 * Only limits that are less than when it began are asked.
 * @throws Fault `forbidden` that names the limit.
 */
export async function requireRoomInLimits(
  budgets: BudgetReserver,
  before: readonly Budget[],
  now: readonly Budget[],
  guardrails: readonly GuardrailRecord[],
): Promise<void> {
  for (const budget of now) {
    const earlier = before.find(({ id }) => id === budget.id)
    if (earlier && earlier.limit <= budget.limit && earlier.interval === budget.interval) continue
    if (await known.getOrInsertComputed(budget, () => hasRoom(budgets, budget))) continue
    const { who, metadata } = budgetHolder(budget, guardrails)
    const limit = toUsd(budget.limit)
    throw new Fault(
      'forbidden',
      `The spending limit of ${who} is ${limit} USD now, less than what is spent and set aside.`,
      { metadata: { ...metadata, limit_usd: limit } },
    )
  }
}

/**
 * Whether the smallest amount still fits the limit, over all servers. Without an answer within `patienceMs` it does
 * not. If the store fails, the request goes on.
 */
async function hasRoom(budgets: BudgetReserver, budget: Budget): Promise<boolean> {
  try {
    const reserving = Promise.resolve(budgets.reserve([budget], 1n)).then((reserved) => {
      if (!('reservation' in reserved)) return false
      reserved.reservation.settle(0n, () => false)
      return true
    })
    reserving.catch(() => {})
    return await Promise.race([reserving, sleep(patienceMs, false, { ref: false })])
  } catch {
    return true
  }
}
