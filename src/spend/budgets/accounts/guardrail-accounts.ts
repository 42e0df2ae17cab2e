import type { Db } from '#platform/db/db.ts'
import { hasOlderServers } from '#platform/db/older-servers.ts'
import type { Budget } from '../budget.ts'
import type { BudgetReserver } from '../budgets.ts'
import { deleteIncompleteSums } from '../rows/spending-rows.ts'
import type { Every } from './open-accounts.ts'

/** The interval of checking for older servers. */
const checkEveryMs = 2000

/**
 * Servers of schema version 91 and earlier count a guardrail's limit in one account for all its members and keys. While
 * such a server runs, this server uses the same accounts. Otherwise a key could spend the limit twice.
 */
type GuardrailAccounts = { areShared: () => boolean }

type GuardrailAccountsDeps = {
  db: Db
  every: Every
  /** A monotonic clock. */
  elapsed: () => number
  onSeparate: () => void
  onError: (error: Error) => void
}

const defaultTimes = {
  /** The time within which an older server that lost its connections opens new ones. */
  absentMs: 10_000,
  /** The time within which all other servers notice that the last older server has stopped. */
  propagationMs: 60_000,
}

/**
 * Shares the accounts until the last older server has stopped, and checks for one regularly. New ones cannot start, because
 * the schema is too new for them. Afterwards each member and each key has a separate account, whose first balance is its
 * spending in the ledger.
 * @returns the accounts, and a function that stops the checks.
 */
export async function createGuardrailAccounts(
  { db, every, elapsed, onSeparate, onError }: GuardrailAccountsDeps,
  times: Partial<typeof defaultTimes> = {},
): Promise<GuardrailAccounts & { stop: () => void }> {
  const { absentMs, propagationMs } = { ...defaultTimes, ...times }
  let areShared = await hasOlderServers(db)
  if (!areShared) return { areShared: () => false, stop: () => {} }
  let lastSeenAt = elapsed()
  const checkOnce = async () => {
    if (await hasOlderServers(db)) {
      areShared = true
      lastSeenAt = elapsed()
    }
    const absentForMs = elapsed() - lastSeenAt
    if (areShared && absentForMs >= absentMs) {
      areShared = false
      onSeparate()
    }
    if (absentForMs < absentMs + propagationMs) return
    // Until now, some server may have counted only in the shared accounts, so the separate sums are incomplete. The next
    // request reads them again from the ledger.
    await db.exclusively('guardrail accounts', deleteIncompleteSums)
    stop()
  }
  const stop = every(checkEveryMs, () => {
    checkOnce().catch((error) => {
      // While the database is unreachable, older servers have no connections either.
      lastSeenAt = elapsed()
      onError(error)
    })
  })
  return { areShared: () => areShared, stop }
}

/** Returns the budget with the account that older servers use. Budgets of other subjects are returned unchanged. */
function sharedBudget(budget: Budget): Budget {
  return budget.subject.kind === 'guardrail' ? { ...budget, id: sharedAccount(budget.subject.guardrailId) } : budget
}

const sharedAccount = (guardrailId: string) => `guardrail:${guardrailId}`

/** Reserves from the accounts that older servers use, while one of them runs. */
export function withGuardrailAccounts(budgets: BudgetReserver, { areShared }: GuardrailAccounts): BudgetReserver {
  // Accounts are looked up by object identity, so each budget must always map to the same object.
  const sharedBudgets = new WeakMap<Budget, Budget>()
  const toSharedBudget = (budget: Budget) => sharedBudgets.getOrInsertComputed(budget, sharedBudget)
  return {
    reserve: (limits, need) =>
      budgets.reserve(areShared() ? withoutDuplicateAccounts(limits.map(toSharedBudget)) : limits, need),
    openReservation: (limit) => budgets.openReservation(areShared() ? toSharedBudget(limit) : limit),
  }
}

/**
 * Returns the budgets without duplicate accounts, which the default guardrail and a budget of the workspace can share. Of
 * several budgets with one account, the one with the lowest limit remains.
 */
function withoutDuplicateAccounts(budgets: Budget[]): Budget[] {
  const byAccount = new Map<string, Budget>()
  for (const budget of budgets) {
    const account = `${budget.id} ${budget.interval}`
    const existing = byAccount.get(account)
    if (!existing || budget.limit < existing.limit) byAccount.set(account, budget)
  }
  return [...byAccount.values()]
}

/** Whether a budget has the account that all members and keys of its guardrail share. */
export const isSharedAccount = ({ id, subject }: Budget): boolean =>
  subject.kind === 'guardrail' && id === sharedAccount(subject.guardrailId)
