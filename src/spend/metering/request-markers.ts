import { repeat } from '#platform/async/reconcile.ts'
import { waitAtMost } from '#platform/async/wait-at-most.ts'
import { waitUntil } from '#platform/async/wait-for.ts'
import { dayMs, type Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import type { Ledger } from './ledger.ts'

type MarkerDeps = {
  db: Pick<Db, 'query'>
  now: Now
  newId: NewId
  ledger: Pick<Ledger, 'flush'>
  onError: (error: Error) => void
}

/**
 * The maximum time that a request, or a query of its spending, waits for a slow database. A ledger whose database responds writes
 * its rows within this time.
 */
export const maxLedgerWaitMs = 750
const checkEveryMs = 10
/** The tolerated difference between the clocks of servers. */
const clockToleranceMs = 60_000

/** Marks a request with a key as started. @returns a function to call when the request was passed to the ledger. */
export type MarkRequest = (keyHash: string) => Promise<() => void>

/**
 * Stores a marker for each request in flight, so that any process can wait until the spending of a key is written. The
 * marker is deleted when the ledger has written the request, which is flushed at once.
 */
export function createRequestMarker({ db, now, newId, ledger, onError }: MarkerDeps): MarkRequest {
  const deleteMarker = async (id: string, inserted: Promise<unknown>) => {
    try {
      await inserted
      await ledger.flush()
      await db.query.deleteFrom('requests_under_way').where('id', '=', id).execute()
    } catch (error) {
      onError(error as Error)
    }
  }
  return async (keyHash) => {
    const id = newId()
    const row = { id, key_hash: keyHash, began_at: now() }
    const inserted = db.query.insertInto('requests_under_way').values(row).execute()
    await waitAtMost(
      maxLedgerWaitMs,
      inserted.catch(() => {}),
    )
    // The caller passes the request to the ledger in the current tick.
    return () => void setImmediate(() => void deleteMarker(id, inserted))
  }
}

/**
 * Waits up to `maxLedgerWaitMs` until the requests of a key that started since an instant are written.
 * @returns whether they are written.
 */
export async function waitUntilWritten(
  { db }: Pick<MarkerDeps, 'db'>,
  keyHash: string,
  since: number,
): Promise<boolean> {
  const isWritten = async () => {
    const unwritten = await db.query
      .selectFrom('requests_under_way')
      .where('key_hash', '=', keyHash)
      .where('began_at', '>=', since - clockToleranceMs)
      .select('id')
      .limit(1)
      .executeTakeFirst()
    return unwritten === undefined
  }
  return waitUntil(isWritten, { timeoutMs: maxLedgerWaitMs, recheckMs: checkEveryMs })
}

const pruneEveryMs = 60 * 60_000
const markerRetentionMs = dayMs

/** Deletes markers of dead processes every hour. @returns a function that stops it. */
export function startPruningMarkers({ db, now, onError }: Pick<MarkerDeps, 'db' | 'now' | 'onError'>): () => void {
  const prune = () =>
    db.query
      .deleteFrom('requests_under_way')
      .where('began_at', '<', now() - markerRetentionMs)
      .execute()
  return repeat(prune, { everyMs: pruneEveryMs, onError })
}
