import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '#config/settings.ts'
import type { Db } from '#db/db.ts'
import type { Metered } from '#interns/metered-usage.ts'
import type { Ledger } from '#usage/ledger.ts'
import { usedSince } from '#usage/used-since.ts'

/** Another process writes what it metered within this. */
const othersWriteMs = 750

type MeteredDeps = { db: Db; ledger: Pick<Ledger, 'flush'>; config: Pick<Config, 'workers'>; isShared: boolean }

/** What an intern's turn took by the ledger. What other processes metered of it is waited for where there are such. */
export function meteredTurn({ db, ledger, config, isShared }: MeteredDeps): Metered {
  const alone = !isShared && db.kind === 'sqlite' && config.workers === 1
  return async (keyHash, since) => {
    await (alone ? Promise.race([ledger.flush(), sleep(othersWriteMs)]) : sleep(othersWriteMs))
    const used = await usedSince({ db }, keyHash, since)
    if (!used) return undefined
    const { promptTokens, completionTokens, cachedTokens, costUsd } = used
    return {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
      cost: costUsd,
      ...(cachedTokens > 0 && { prompt_tokens_details: { cached_tokens: cachedTokens } }),
    }
  }
}
