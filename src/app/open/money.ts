import { join } from 'node:path'
import { createSpendingReader, isSingleLedgerWriter } from '#api/interns/metered-turn.ts'
import { readSessionCost } from '#interns/runs/run-spending.ts'
import { waitAtMost } from '#platform/async/wait-at-most.ts'
import { type PicoUsd, toPicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import { createDatabaseClock } from '#platform/db/clock.ts'
import type { Db, Query } from '#platform/db/db.ts'
import {
  createGuardrailAccounts,
  isSharedAccount,
  withGuardrailAccounts,
} from '#spend/budgets/accounts/guardrail-accounts.ts'
import type { Budget } from '#spend/budgets/budget.ts'
import { type BudgetReserver, Budgets, unrefInterval } from '#spend/budgets/budgets.ts'
import { readChargedByGuardrail, readChargedSince } from '#spend/budgets/ledger-spending.ts'
import { refuseWhileUnreachable } from '#spend/budgets/refuse-while-unreachable.ts'
import { readCostInWindows } from '#spend/ledger/key-requests.ts'
import { type Ledger, openLedger } from '#spend/metering/ledger.ts'
import { openSpill } from '#spend/metering/spill.ts'
import { closeMs, createWarning, type OpenContext } from './parts.ts'
import type { OpenStore } from './store.ts'
import { openUpkeep } from './upkeep.ts'

/**
 * Opens the ledger of metered requests and the budget limits.
 * @param onUnmetered is called for each request that is not metered.
 */
export async function openMoney(context: OpenContext, store: OpenStore, onUnmetered: (error: Error) => void) {
  const { db, allowStale, hasPrimary } = store
  const ledger = await openStoredLedger(context, store, onUnmetered)
  const budgets = openBudgets(context, store, ledger)
  if (!hasPrimary) openUpkeep(context, db)
  const compatibleBudgets = await withOlderServers(context, db, budgets)
  return {
    ledger,
    budgets:
      context.parts.config.stale_limits === 'refuse'
        ? refuseWhileUnreachable(compatibleBudgets, allowStale)
        : compatibleBudgets,
  }
}

/** Opens the ledger, and writes what an earlier run could not write. */
async function openStoredLedger(
  context: OpenContext,
  { settings, db }: OpenStore,
  onUnmetered: (error: Error) => void,
) {
  const { config, log, now, newId } = context.parts
  const folder = join(settings.data_dir, 'unwritten')
  const spill = await openSpill({ folder, maxBytes: config.spill_bytes, now, newId })
  if (spill.requestCount > 0) log.info({ requests: spill.requestCount }, 'writing metered requests of an earlier run')
  const warnNotWritten = createWarning(context, 'metered requests are not written yet')
  const onLost = (requests: number, cost: PicoUsd) =>
    log.error({ requests, cost_usd: toUsd(cost) }, 'metered requests could not be stored at the end, and are lost')
  const ledger = openLedger({ db, now, spill, onError: warnNotWritten, onRejected: onUnmetered, onLost })
  context.cleanup.defer(ledger.close)
  return ledger
}

function openBudgets(context: OpenContext, store: OpenStore, ledger: Ledger): Budgets {
  const { now, newId } = context.parts
  const { db } = store
  const budgets = new Budgets({
    db,
    clock: createDatabaseClock(db, now),
    now,
    newId,
    waitUntilWritten: ledger.flush,
    readChargedSince: createChargedReader(context, store, ledger),
    onError: createWarning(context, 'budgets were not reported'),
  })
  // Spending that is not reported then counts as spent together with the lease. A database that does not answer must
  // not delay the end.
  context.cleanup.defer(() => waitAtMost(closeMs, budgets.close()))
  return budgets
}

/** Returns the function that reads from the ledger what a limit counts since a day. */
function createChargedReader({ parts }: OpenContext, { db, hasPrimary }: OpenStore, ledger: Ledger) {
  const isSingleWriter = isSingleLedgerWriter(db, parts.config, { hasPrimary })
  const readSpending = createSpendingReader({ db, ledger, isSingleWriter })
  return async (budget: Budget, sinceDay: number, query: Query) => {
    const { subject, includesByok } = budget
    // The limits of turns and of their sessions never reset, so they ignore `sinceDay`.
    if (subject.kind === 'guardrail' && isSharedAccount(budget))
      return readChargedByGuardrail({ db: { query } }, subject, includesByok, sinceDay)
    if (subject.kind === 'turn') {
      const requests = { keyHash: subject.keyHash, from: subject.startedAt }
      return (await readCostInWindows(query, [requests])).cost
    }
    if (subject.kind === 'session')
      return toPicoUsd(await readSessionCost({ db, readSpending }, subject.internId, subject.sessionId))
    return readChargedSince({ db: { query } }, { subject, includesByok }, sinceDay)
  }
}

/** Returns budgets that count limits as older servers do, while older servers use the database during an upgrade. */
async function withOlderServers(context: OpenContext, db: Db, budgets: Budgets): Promise<BudgetReserver> {
  const accounts = await createGuardrailAccounts({
    db,
    every: unrefInterval,
    elapsed: () => performance.now(),
    onSeparate: () =>
      context.parts.log.info(
        'the last server of an older version has stopped: limits of guardrails now count for each member and key',
      ),
    onError: createWarning(context, 'the search for servers of older versions failed'),
  })
  if (!accounts.areShared()) return budgets
  context.cleanup.defer(accounts.stop)
  return withGuardrailAccounts(budgets, accounts)
}
