import type { ReadMeteredUsage } from '#interns/runs/metered-usage.ts'
import type { ReadSpending } from '#interns/runs/run-spending.ts'
import { waitAtMost } from '#platform/async/wait-at-most.ts'
import type { Config } from '#platform/config/settings.ts'
import { toUsd } from '#platform/core/pico-usd.ts'
import type { Db } from '#platform/db/db.ts'
import { readCostInWindows, readUsageSince } from '#spend/ledger/key-requests.ts'
import type { Ledger } from '#spend/metering/ledger.ts'
import { maxLedgerWaitMs, waitUntilWritten } from '#spend/metering/request-markers.ts'

type MeteredDeps = { db: Db; ledger: Pick<Ledger, 'flush'>; isSingleWriter: boolean }

/**
 * Whether this process is the only one that writes to the ledger, so that flushing its own ledger is sufficient. Several
 * servers can share Postgres, and each worker process has its own ledger.
 * @param hasPrimary whether this process is a worker.
 */
export const isSingleLedgerWriter = (
  { kind }: Pick<Db, 'kind'>,
  { workers }: Pick<Config, 'workers'>,
  { hasPrimary }: { hasPrimary: boolean },
): boolean => !hasPrimary && kind === 'sqlite' && workers === 1

/**
 * Waits for a short time until all processes have written the requests of a key that started since an instant.
 * @returns whether all are written.
 */
async function flushLedger(
  { db, ledger, isSingleWriter }: MeteredDeps,
  keyHash: string,
  since: number,
): Promise<boolean> {
  const written = Promise.all([ledger.flush(), isSingleWriter || waitUntilWritten({ db }, keyHash, since)])
  const [, isWritten] = (await waitAtMost(maxLedgerWaitMs, written)) ?? []
  return isWritten === true
}

/** Returns the recorded spending of an intern. If an end is given, includes requests that other processes recorded. */
export function createSpendingReader(deps: MeteredDeps): ReadSpending {
  return async (keyHash, since, until) => {
    let isComplete = false
    if (until !== undefined) {
      isComplete = await flushLedger(deps, keyHash, since)
    } else {
      await waitAtMost(maxLedgerWaitMs, deps.ledger.flush())
    }
    const { cost } = await readCostInWindows(deps.db.query, [{ keyHash, from: since, to: until }])
    return { usd: toUsd(cost), isComplete }
  }
}

/** Returns the usage of an intern's turn from the ledger. */
export function createTurnUsageReader(deps: MeteredDeps): ReadMeteredUsage {
  return async (keyHash, since) => {
    await flushLedger(deps, keyHash, since)
    const usage = await readUsageSince(deps.db.query, keyHash, since)
    if (!usage) return undefined
    const { promptTokens, completionTokens, cachedTokens, costUsd } = usage
    return {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
      cost: costUsd,
      ...(cachedTokens > 0 && { prompt_tokens_details: { cached_tokens: cachedTokens } }),
    }
  }
}
