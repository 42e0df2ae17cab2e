import { setTimeout as sleep } from 'node:timers/promises'
import { repeat } from '#platform/async/reconcile.ts'
import { waitFor } from '#platform/async/wait-for.ts'
import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import type { Ledger } from './ledger.ts'

type UnderWayDeps = {
  db: Pick<Db, 'query'>
  now: Now
  newId: NewId
  ledger: Pick<Ledger, 'flush'>
  onError: (error: Error) => void
}

/** The maximum wait of a request or a query of spending for a slow database. */
const patienceMs = 750
const checkEveryMs = 10
/** Clocks of servers differ. */
const earlierMs = 60_000

/** Notes the start of a request with a key. @returns a function to call when it was passed to the ledger. */
export type NoteRequest = (keyHash: string) => Promise<() => void>

/**
 * Notes requests in flight, so that every process can wait until all spending is written. A note is deleted when the ledger
 * of the serving process has written the request, which it does at once.
 */
export function noteRequests({ db, now, newId, ledger, onError }: UnderWayDeps): NoteRequest {
  const end = async (id: string, noted: Promise<unknown>) => {
    try {
      await noted
      await ledger.flush()
      await db.query.deleteFrom('requests_under_way').where('id', '=', id).execute()
    } catch (error) {
      onError(error as Error)
    }
  }
  return async (keyHash) => {
    const id = newId()
    const row = { id, key_hash: keyHash, began_at: now() }
    const noted = db.query.insertInto('requests_under_way').values(row).execute()
    await Promise.race([noted.catch(() => {}), sleep(patienceMs, undefined, { ref: false })])
    // The request is in the ledger by the next tick of the event loop.
    return () => void setImmediate(() => void end(id, noted))
  }
}

/**
 * Waits, but not for long, until the requests with a key that started since an instant are written.
 * @returns whether they are.
 */
export async function requestsWritten(
  { db }: Pick<UnderWayDeps, 'db'>,
  keyHash: string,
  since: number,
): Promise<boolean> {
  const isWritten = async () => {
    const unwritten = await db.query
      .selectFrom('requests_under_way')
      .where('key_hash', '=', keyHash)
      .where('began_at', '>=', since - earlierMs)
      .select('id')
      .limit(1)
      .executeTakeFirst()
    return unwritten ? undefined : true
  }
  return (await waitFor(isWritten, { timeoutMs: patienceMs, recheckMs: checkEveryMs })) ?? false
}

const everyMs = 60 * 60_000
const forgottenAfterMs = 24 * 60 * 60_000

/** Deletes notes of dead processes regularly. @returns a function that stops it. */
export function keepPruningNotes({ db, now, onError }: Pick<UnderWayDeps, 'db' | 'now' | 'onError'>): () => void {
  const prune = () =>
    db.query
      .deleteFrom('requests_under_way')
      .where('began_at', '<', now() - forgottenAfterMs)
      .execute()
  return repeat(prune, { everyMs, onError })
}
