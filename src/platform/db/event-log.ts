import { repeat } from '../async/reconcile.ts'
import { dayMs, type Now, steadyNow } from '../core/clock.ts'
import type { Db, Query, Tx } from './db.ts'
import { eventColumns, type NewEvent } from './event.ts'
import type { Insertion } from './rows/insert-rows.ts'

/** A stored event. `seq` follows the order of commits: no event appears later with a lower number. */
export type StoredEvent = NewEvent & { seq: number }

/** The retention of events. A client can reconnect within this time without missing any. */
export const eventWindowMs = 10 * 60_000

/**
 * Returns the insertion of events. It must be the last one of a transaction, because on Postgres it locks the order of events
 * until the transaction ends.
 */
export function toEventInsertion(events: readonly NewEvent[]): Insertion {
  const rows = events.map(({ at, organizationId, kind, data }) => [at, organizationId, kind, data])
  return { table: 'events', columns: eventColumns, rows }
}

export async function appendEvents(query: Query | Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(({ organizationId, ...event }) => ({ ...event, organization_id: organizationId }))
  await query.insertInto('events').values(rows).execute()
}

type ReadDeps = { db: Pick<Db, 'reportQuery'> }

/** The numbers of the oldest and newest stored event; 0 if none was ever stored. */
export async function readEventBounds({ db }: ReadDeps): Promise<{ oldest: number; newest: number }> {
  const row = await db.reportQuery
    .selectFrom('events')
    .select((e) => [e.fn.min('seq').as('oldest'), e.fn.max('seq').as('newest')])
    .executeTakeFirst()
  return { oldest: Number(row?.oldest ?? 0), newest: Number(row?.newest ?? 0) }
}

/** Returns the events from `seq` on, in order. */
export async function readEventsFrom({ db }: ReadDeps, seq: number, limit: number): Promise<StoredEvent[]> {
  const rows = await db.reportQuery
    .selectFrom('events')
    .where('seq', '>=', seq)
    .orderBy('seq')
    .limit(limit)
    .selectAll()
    .execute()
  return rows.map(({ organization_id, kind, ...row }) => ({
    ...row,
    organizationId: organization_id,
    kind: kind as StoredEvent['kind'],
  }))
}

/** Returns the events of one kind since a time, in order. */
export async function readEventsOfKind({ db }: ReadDeps, kind: NewEvent['kind'], since: number) {
  return db.reportQuery
    .selectFrom('events')
    .where('kind', '=', kind)
    .where('at', '>=', since)
    .orderBy('seq')
    .select(['organization_id as organizationId', 'data'])
    .execute()
}

/** Deletes events before a time, except the newest, by which a client detects whether it has missed any. */
export async function pruneEvents({ db }: { db: Pick<Db, 'query'> }, beforeMs: number): Promise<void> {
  const { newest } = await readEventBounds({ db: { reportQuery: db.query } })
  await db.query.deleteFrom('events').where('at', '<', beforeMs).where('seq', '<', newest).execute()
}

const pruneEveryMs = 60_000

/** The age from which events are deleted by their stored time. They are from servers that stopped before deleting them. */
const maxRetentionMs = dayMs

type PruningDeps = { db: Pick<Db, 'query'>; now: Now; steady?: Now }

/**
 * Returns a function that deletes expired events at each call. It records which event was the newest at which time, because
 * the stored times are those of the clocks of different servers.
 */
export function createEventPruner({ db, now, steady = steadyNow }: PruningDeps): () => Promise<void> {
  const observations: { newest: number; at: number }[] = []
  return async () => {
    const { newest } = await readEventBounds({ db: { reportQuery: db.query } })
    observations.push({ newest, at: steady() })
    let expiredSeq: number | undefined
    while (observations[0] && steady() - observations[0].at >= eventWindowMs) expiredSeq = observations.shift()!.newest
    if (expiredSeq !== undefined) {
      await db.query.deleteFrom('events').where('seq', '<=', expiredSeq).where('seq', '<', newest).execute()
    }
    await pruneEvents({ db }, now() - maxRetentionMs)
  }
}

/** Deletes expired events regularly. @returns the function that stops it. */
export function startEventPruning(deps: PruningDeps & { onError: (error: Error) => void }): () => void {
  return repeat(createEventPruner(deps), { firstMs: pruneEveryMs, everyMs: pruneEveryMs, onError: deps.onError })
}
