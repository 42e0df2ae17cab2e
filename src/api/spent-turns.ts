import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '#db/db.ts'
import { limitedRunsOfKey } from '#interns/run-spending.ts'
import { usd } from '#interns/turn-budget.ts'
import type { Spent } from '#interns/watch-spending.ts'
import { Fault } from '#lib/fault.ts'

type SpentTurnsDeps = { db: Pick<Db, 'query'>; spent: Spent }

const lookEveryMs = 50
/** Whoever looks after an intern ends a turn that has spent its budget within a second. */
const usualEndMs = 5000
/**
 * No request of an intern begins while one of its turns has spent its budget. It is held until that turn has been ended, so
 * that its agent does not tell a failure of its own before. @throws Fault `rate_limited` then, which another turn of
 * the intern tries again; `forbidden` where nobody ends it.
 */
export function requireUnspent(deps: SpentTurnsDeps, endedWithinMs = usualEndMs): (keyHash: string) => Promise<void> {
  return async (keyHash) => {
    let spent = await spentRun(deps, keyHash)
    if (!spent) return
    for (const late = performance.now() + endedWithinMs; spent && performance.now() < late; ) {
      await sleep(lookEveryMs)
      spent = await spentRun(deps, keyHash)
    }
    if (spent) throw new Fault('forbidden', `A turn of the intern has cost the ${usd(spent.costUsd)} USD that it may.`)
    const why = 'A turn of the intern has spent its budget and was ended.'
    throw new Fault('rate_limited', `${why} Try again for another one.`, { retryAfterSeconds: 1 })
  }
}

async function spentRun({ db, spent }: SpentTurnsDeps, keyHash: string) {
  for (const run of await limitedRunsOfKey(db.query, keyHash))
    if ((await spent(keyHash, run.beganAt)) >= run.costUsd) return run
  return undefined
}
