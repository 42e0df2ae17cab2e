import { waitUntil } from '#platform/async/wait-for.ts'
import type { Db } from '#platform/db/db.ts'
import { subscribeToEntity } from '#platform/db/signals.ts'
import { isEnding } from '../registry/intern-store.ts'

/** A running server ends the processes of an intern in less time. */
const timeoutMs = 10_000

/** Waits until no process uses the files of an intern that is stopped or asleep. Returns at once for any other. */
export async function waitUntilEnded(deps: { db: Pick<Db, 'query' | 'signals'> }, id: string): Promise<void> {
  const hasEnded = async () => !(await isEnding(deps, id))
  await waitUntil(hasEnded, { subscribe: subscribeToEntity(deps.db.signals, 'intern.changed', id), timeoutMs })
}
