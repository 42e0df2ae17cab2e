import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import type { Day } from './days.ts'
import type { RequestTag } from './generation.ts'
import { type GenerationRecord, recordColumns, toGenerationRecord } from './record.ts'
import { exactSum, exactText } from './sums/exact.ts'
import { readSum } from './sums/read-sum.ts'

/** The requests of a workspace, or of some keys and users in it. */
export type PastScope = {
  workspaceId: string
  includes: (by: { keyHash: string; userId: string }) => boolean
  /** Whether the tags of requests are read. */
  readsTags?: boolean | undefined
}

/** A stored request with its exact amounts. */
export type PastRequest = {
  createdAt: number
  keyHash: string
  userId: string
  cost: PicoUsd
  /** The amount that limits were charged: the cost, and the part that no provider reported. */
  charged: PicoUsd
  isByok: boolean
  /** Undefined if they were not read. */
  tags?: RequestTag[] | undefined
  record: GenerationRecord
}

/** The spending of a member with one key. */
export type SpentByKey = { keyHash: string; userId: string; spent: PicoUsd }

type ReadDeps = { db: Pick<Db, 'reportQuery'> }

/** The number of rows of one query: large enough for speed, and small enough not to delay other requests. */
const rowsPerPage = 200

/** Reads the requests of a time in its order, page by page. @param time in milliseconds since the epoch, `to` exclusive. */
export async function* readPastRequests(
  deps: ReadDeps,
  scope: PastScope,
  time: { from: number; to: number },
): AsyncGenerator<PastRequest[]> {
  let position = { at: time.from, id: '' }
  for (;;) {
    const rows = await readPage(deps, scope.workspaceId, position, time.to)
    const tags = scope.readsTags ? await readTags(deps, rows) : undefined
    yield rows
      .filter((row) => scope.includes({ keyHash: row.key_hash, userId: row.user_id }))
      .map((row) => toPastRequest(row, tags?.get(row.id)))
    const last = rows.at(-1)
    if (!last || rows.length < rowsPerPage) return
    position = { at: last.created_at, id: last.id }
  }
}

/** Reads the requests after a position. With an empty id, those of its millisecond are included. */
function readPage({ db }: ReadDeps, workspaceId: string, position: { at: number; id: string }, to: number) {
  return (
    db.reportQuery
      .selectFrom('generations')
      .where('created_at', '>=', position.at)
      .where('created_at', '<', to)
      .where('workspace_id', '=', workspaceId)
      // A refused request has no known endpoint or cost.
      .where('outcome', '<>', 'refused')
      .where((e) => e.or([e('created_at', '>', position.at), e('id', '>', position.id)]))
      .select([...recordColumns, exactText('cost_pico').as('cost'), exactText('margin_pico').as('margin')])
      .orderBy('created_at')
      .orderBy('id')
      .limit(rowsPerPage)
      .execute()
  )
}

type PastRow = Awaited<ReturnType<typeof readPage>>[number]

function toPastRequest({ cost, margin, ...row }: PastRow, tags: RequestTag[] | undefined): PastRequest {
  const record = toGenerationRecord(row)
  return {
    createdAt: row.created_at,
    keyHash: row.key_hash,
    userId: row.user_id,
    cost: BigInt(cost),
    charged: BigInt(cost) + BigInt(margin),
    isByok: record.is_byok,
    tags,
    record,
  }
}

async function readTags({ db }: ReadDeps, requests: readonly { id: string }[]): Promise<Map<string, RequestTag[]>> {
  if (requests.length === 0) return new Map()
  const ids = requests.map(({ id }) => id)
  const rows = await db.reportQuery.selectFrom('request_tags').where('generation_id', 'in', ids).selectAll().execute()
  const byRequest = Map.groupBy(rows, ({ generation_id }) => generation_id)
  return new Map([...byRequest].map(([id, tagRows]) => [id, tagRows.map(({ name, value }) => [name, value] as const)]))
}

/** Reads the amounts that limits were charged on whole days, by key and member. @param days `to` is exclusive. */
export async function readSpentOnDays(
  deps: ReadDeps,
  { workspaceId, includes }: PastScope,
  days: { from: Day; to: Day; includesByok: boolean },
): Promise<SpentByKey[]> {
  const rows = await deps.db.reportQuery
    .selectFrom('usage_days')
    .where('workspace_id', '=', workspaceId)
    .where('day', '>=', days.from)
    .where('day', '<', days.to)
    .where('byok', '<=', days.includesByok ? 1 : 0)
    .groupBy(['key_hash', 'user_id'])
    .select(['key_hash', 'user_id'])
    .select([exactSum(sql.ref('cost_pico')).as('cost'), exactSum(sql.ref('margin_pico')).as('margin')])
    .execute()
  return rows
    .map((row) => ({ keyHash: row.key_hash, userId: row.user_id, spent: readSum(row.cost) + readSum(row.margin) }))
    .filter(includes)
}
