import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '#config/settings.ts'
import type { Db } from '#db/db.ts'
import type { Metered } from '#interns/metered-usage.ts'
import type { Spent } from '#interns/watch-spending.ts'
import type { Ledger } from '#usage/ledger.ts'
import { costBetween, usedSince } from '#usage/used-since.ts'

/** Another process writes what it metered within this. */
const othersWriteMs = 750

type MeteredDeps = { db: Db; ledger: Pick<Ledger, 'flush'>; config: Pick<Config, 'workers'>; isShared: boolean }

const isAlone = ({ db, config, isShared }: Pick<MeteredDeps, 'db' | 'config' | 'isShared'>) =>
  !isShared && db.kind === 'sqlite' && config.workers === 1

/** What an intern has spent by the ledger; up to an instant all of it, what other processes metered with it. */
export function spentByKey({ db, ledger, config, isShared }: MeteredDeps): Spent {
  const alone = isAlone({ db, config, isShared })
  return async (keyHash, since, until) => {
    await Promise.race([ledger.flush(), sleep(othersWriteMs)])
    if (until !== undefined && !alone) await sleep(othersWriteMs)
    return costBetween({ db }, keyHash, since, until)
  }
}

/** What an intern's turn took by the ledger. What other processes metered of it is waited for where there are such. */
export function meteredTurn({ db, ledger, config, isShared }: MeteredDeps): Metered {
  const alone = isAlone({ db, config, isShared })
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
