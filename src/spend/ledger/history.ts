import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import type { RequestTag } from './generation.ts'
import { type GenerationRecord, recordColumns, toGenerationRecord } from './record.ts'
import { exactSum, exactText } from './sums/exact.ts'
import { readSum } from './sums/read-sum.ts'

/** The requests of a workspace, or of some keys and users in it. */
export type Scope = {
  workspaceId: string
  includes: (by: { keyHash: string; userId: string }) => boolean
  /** Whether the tags of requests are read. */
  hasTags?: boolean | undefined
}

/** A stored request with its exact cost and the amount that limits were charged. */
export type PastRequest = {
  createdAt: number
  keyHash: string
  userId: string
  cost: PicoUsd
  charged: PicoUsd
  /** Undefined if they were not read. */
  tags?: RequestTag[] | undefined
  record: GenerationRecord
}

/** The spending of a member with one key. */
export type SpentByKey = { keyHash: string; userId: string; spent: PicoUsd }

/** The number of rows of one query: large enough for speed, and small enough not to delay other requests. */
const rowsPerPage = 200

/** Reads the requests between two instants by time, page by page. */
export async function* readPastRequests(
  deps: { db: Pick<Db, 'reportQuery'> },
  { workspaceId, includes, hasTags }: Scope,
  from: number,
  to: number,
): AsyncGenerator<PastRequest[]> {
  let after = from
  let afterId = ''
  for (;;) {
    const rows = await deps.db.reportQuery
      .selectFrom('generations')
      .where('created_at', '>=', after)
      .where('created_at', '<', to)
      .where('workspace_id', '=', workspaceId)
      // A refused request has no known endpoint or cost.
      .where('outcome', '<>', 'refused')
      .where((e) => e.or([e('created_at', '>', after), e('id', '>', afterId)]))
      .select([...recordColumns, exactText('cost_pico').as('cost'), exactText('margin_pico').as('margin')])
      .orderBy('created_at')
      .orderBy('id')
      .limit(rowsPerPage)
      .execute()
    const tags = hasTags ? await readTags(deps, rows) : undefined
    yield rows
      .filter((row) => includes({ keyHash: row.key_hash, userId: row.user_id }))
      .map(({ cost, margin, ...row }) => ({
        createdAt: row.created_at,
        keyHash: row.key_hash,
        userId: row.user_id,
        cost: BigInt(cost),
        charged: BigInt(cost) + BigInt(margin),
        tags: tags?.get(row.id),
        record: toGenerationRecord(row),
      }))
    const last = rows.at(-1)
    if (!last || rows.length < rowsPerPage) return
    after = last.created_at
    afterId = last.id
  }
}

async function readTags(
  { db }: { db: Pick<Db, 'reportQuery'> },
  requests: readonly { id: string }[],
): Promise<Map<string, RequestTag[]>> {
  if (requests.length === 0) return new Map()
  const ids = requests.map(({ id }) => id)
  const rows = await db.reportQuery.selectFrom('request_tags').where('generation_id', 'in', ids).selectAll().execute()
  const byRequest = Map.groupBy(rows, ({ generation_id }) => generation_id)
  return new Map([...byRequest].map(([id, tagRows]) => [id, tagRows.map(({ name, value }) => [name, value] as const)]))
}

/**
 * Reads the amounts that limits were charged on whole days, by key and member. The last day is exclusive.
 */
export async function readSpentOnDays(
  deps: { db: Pick<Db, 'reportQuery'> },
  { workspaceId, includes }: Scope,
  days: { from: number; to: number; includesByok: boolean },
): Promise<SpentByKey[]> {
  const rows = await deps.db.reportQuery
    .selectFrom('usage_days')
    .where('workspace_id', '=', workspaceId)
    .where('day', '>=', days.from)
    .where('day', '<', days.to)
    .where('byok', '<=', days.includesByok ? 1 : 0)
    .groupBy(['key_hash', 'user_id'])
    .select([
      'key_hash',
      'user_id',
      exactSum(sql.ref('cost_pico')).as('cost'),
      exactSum(sql.ref('margin_pico')).as('margin'),
    ])
    .execute()
  return rows
    .map((row) => ({ keyHash: row.key_hash, userId: row.user_id, spent: readSum(row.cost) + readSum(row.margin) }))
    .filter(includes)
}
