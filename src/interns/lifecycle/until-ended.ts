import { setTimeout as sleep } from 'node:timers/promises'
import type { Query } from '#platform/db/db.ts'
import { isEnding } from '../registry/store.ts'

const lookEveryMs = 20
/** Longer than a server takes that is there. */
const patienceMs = 10_000

/** Resolves when nothing is at the files any more of an intern that is stopped or asleep; of any other at once. */
export async function untilEnded(deps: { db: { query: Query } }, id: string): Promise<void> {
  const late = performance.now() + patienceMs
  while ((await isEnding(deps, id)) && performance.now() < late) await sleep(lookEveryMs)
}
