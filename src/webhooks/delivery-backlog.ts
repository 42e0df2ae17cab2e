import { staleWhileRevalidate } from '#platform/async/stale-while-revalidate.ts'
import type { DatabaseClock } from '#platform/db/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'

/** Pending deliveries before their first attempt, and those that wait for another attempt. */
export type Backlog = Record<'first' | 'retries', { waiting: number; oldestMs: number }>

type BacklogDeps = { db: Pick<Db, 'query'>; clock: DatabaseClock }

/** Returns a function that reads the backlog of all servers, cached. Deliveries of disabled webhooks do not count. */
export function createBacklogReader(deps: BacklogDeps): () => Backlog {
  return staleWhileRevalidate(toBacklog([]), () => readBacklog(deps))
}

export async function readBacklog({ db, clock }: BacklogDeps): Promise<Backlog> {
  const rows = await db.query
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhooks as w', 'w.id', 'd.webhook_id')
    .where('d.state', '=', 'pending')
    .where('w.enabled', '=', 1)
    .select((e) => [
      e.case().when('d.attempts', '=', 0).then('first').else('retries').end().as('kind'),
      e.fn.countAll<number>().as('waiting'),
      sql<number>`${clock.nowSql()} - min(d.created_at)`.as('oldest'),
    ])
    .groupBy('kind')
    .execute()
  return toBacklog(rows)
}

function toBacklog(rows: { kind: string; waiting: number; oldest: number }[]): Backlog {
  const summarize = (kind: string) => {
    const row = rows.find((candidate) => candidate.kind === kind)
    return { waiting: Number(row?.waiting ?? 0), oldestMs: Math.max(0, Number(row?.oldest ?? 0)) }
  }
  return { first: summarize('first'), retries: summarize('retries') }
}
