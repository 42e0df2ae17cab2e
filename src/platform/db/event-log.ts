import { type Now, steadyNow } from '../core/clock.ts'
import type { Db, Query, Tx } from './db.ts'
import { eventColumns, type NewEvent } from './event.ts'
import type { Inserted } from './rows/insert-rows.ts'

/** `seq` counts in the order in which events were committed: nothing ever appears before what was read already. */
export type KeptEvent = NewEvent & { seq: number }

/** How long events are kept: so long a client may be away and miss nothing. */
export const eventWindowMs = 10 * 60_000

/** The rows of events, to be inserted after all else of a transaction: on Postgres the order is locked until its end. */
export function insertionOfEvents(events: readonly NewEvent[]): Inserted {
  const rows = events.map(({ at, organizationId, kind, data }) => [at, organizationId, kind, data])
  return { table: 'events', columns: eventColumns, rows }
}

export async function appendEvents(query: Query | Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(({ organizationId, ...event }) => ({ ...event, organization_id: organizationId }))
  await query.insertInto('events').values(rows).execute()
}

type ReadDeps = { db: Pick<Db, 'reports'> }

/** Which events there are. Where none was ever kept, both are 0. */
export async function eventBounds({ db }: ReadDeps): Promise<{ oldest: number; newest: number }> {
  const row = await db.reports
    .selectFrom('events')
    .select((e) => [e.fn.min('seq').as('oldest'), e.fn.max('seq').as('newest')])
    .executeTakeFirst()
  return { oldest: Number(row?.oldest ?? 0), newest: Number(row?.newest ?? 0) }
}

/** Those from one on, in their order. */
export async function eventsFrom({ db }: ReadDeps, seq: number, limit: number): Promise<KeptEvent[]> {
  const rows = await db.reports
    .selectFrom('events')
    .where('seq', '>=', seq)
    .orderBy('seq')
    .limit(limit)
    .selectAll()
    .execute()
  return rows.map(({ organization_id, kind, ...row }) => ({
    ...row,
    organizationId: organization_id,
    kind: kind as KeptEvent['kind'],
  }))
}

/** Those of one kind since an instant, in their order. */
export async function eventsOfKind({ db }: ReadDeps, kind: NewEvent['kind'], since: number) {
  return db.reports
    .selectFrom('events')
    .where('kind', '=', kind)
    .where('at', '>=', since)
    .orderBy('seq')
    .select(['organization_id as organizationId', 'data'])
    .execute()
}

/** Forgets events from before an instant; the newest stays, so that who has heard it knows that nothing came since. */
export async function pruneEvents({ db }: { db: Pick<Db, 'query'> }, before: number): Promise<void> {
  const { newest } = await eventBounds({ db: { reports: db.query } })
  await db.query.deleteFrom('events').where('at', '<', before).where('seq', '<', newest).execute()
}

const pruneEveryMs = 60_000

/** Expired events, also of servers that stopped before deleting them. */
const longestKeptMs = 24 * 3_600_000

type PruningDeps = { db: Pick<Db, 'query'>; now: Now; steady?: Now }

/**
 * Forgets what has been here for as long as events are kept, each time it is called. It goes by what was the newest event
 * then, and not by times in rows: they are by the clocks of the servers that wrote them, which may differ by more.
 */
export function eventPruning({ db, now, steady = steadyNow }: PruningDeps): () => Promise<void> {
  const seen: { newest: number; at: number }[] = []
  return async () => {
    const { newest } = await eventBounds({ db: { reports: db.query } })
    seen.push({ newest, at: steady() })
    let past: number | undefined
    while (seen[0] && steady() - seen[0].at >= eventWindowMs) past = seen.shift()!.newest
    if (past !== undefined) {
      await db.query.deleteFrom('events').where('seq', '<=', past).where('seq', '<', newest).execute()
    }
    await pruneEvents({ db }, now() - longestKeptMs)
  }
}

/** Forgets what is too old, from now on. @returns the way to end that. */
export function keepPruningEvents(deps: PruningDeps & { onError: (error: Error) => void }): () => void {
  const prune = eventPruning(deps)
  const timer = setInterval(() => void prune().catch(deps.onError), pruneEveryMs)
  timer.unref()
  return () => clearInterval(timer)
}
