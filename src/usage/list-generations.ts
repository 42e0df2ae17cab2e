import type { SelectQueryBuilder } from 'kysely'
import type { Db } from '#db/db.ts'
import { sql } from '#db/kysely.ts'
import type { Tables } from '#db/tables.ts'
import { Fault } from '#lib/fault.ts'
import type { PicoUsd } from '#lib/pico-usd.ts'
import { type GenerationRecord, generationRecord, recordColumns } from './record.ts'
import { type Visibility, visibilityOf } from './visibility.ts'

/** Only generations that are all of this. Times in milliseconds since the epoch, `from` inclusive, `to` exclusive. */
export type GenerationFilter = {
  from?: number
  to?: number
  keyHash?: string
  userId?: string
  workspaceId?: string
  sessionId?: string
  model?: string
  provider?: string
  preset?: string
  /** One that refused it, or found something in it. */
  guardrailId?: string
  outcome?: readonly string[]
  error?: string
  streamed?: boolean
  minCost?: PicoUsd
  maxCost?: PicoUsd
  minLatencyMs?: number
  maxLatencyMs?: number
  minDurationMs?: number
  maxDurationMs?: number
}

/** The place of a page's last item: the next page begins after it. */
type ListGenerationsPlace = { createdAt: number; id: string }

/**
 * The most rows that one page may look at, so that no search takes longer than this many rows do. If matches are rare,
 * a page has fewer items than asked for, or none, and says where to continue.
 */
const examinedAtMost = 5_000

type Generations = SelectQueryBuilder<Tables, 'generations', object>

/**
 * The newest first.
 * @param page.cursor where an earlier page said to go on.
 * @returns `nextCursor` is undefined when there are no older ones.
 * @throws Fault `invalid` for a cursor that is none.
 */
export async function listGenerations(
  { db }: { db: Pick<Db, 'reports'> },
  caller: Visibility,
  filter: GenerationFilter,
  page: { limit: number; cursor?: string | undefined },
  examined = examinedAtMost,
): Promise<{ data: GenerationRecord[]; nextCursor: string | undefined }> {
  const [owner, ownerId] = visibilityOf(caller)
  const reached = newestFirst(byIndex(db.reports.selectFrom('generations').where(owner, '=', ownerId), filter)).$if(
    page.cursor !== undefined,
    (older) => {
      const { createdAt, id } = readCursor(page.cursor!)
      return older.where(sql<boolean>`(created_at, id) < (${createdAt}, ${id})`)
    },
  )
  const looked = isSearched(filter) ? examined : page.limit
  const among = db.reports.selectFrom(reached.selectAll().limit(looked).as('generations')) as unknown as Generations
  const rows = await newestFirst(byValue(among, filter)).select(recordColumns).limit(page.limit).execute()
  const last = rows.length === page.limit ? rows.at(-1) : await lastOf(reached, looked)
  return { data: rows.map(generationRecord), nextCursor: last && cursorOf({ createdAt: last.created_at, id: last.id }) }
}

const newestFirst = (query: Generations) => query.orderBy('created_at', 'desc').orderBy('id', 'desc')

/** The last of so many rows, where there are so many. */
function lastOf(reached: Generations, examined: number) {
  return reached
    .select(['created_at', 'id'])
    .offset(examined - 1)
    .limit(1)
    .executeTakeFirst()
}

/** Conditions that an index can find. */
function byIndex(query: Generations, filter: GenerationFilter): Generations {
  const { from, to, keyHash, workspaceId, sessionId, guardrailId, outcome } = filter
  return query
    .$if(from !== undefined, (rows) => rows.where('created_at', '>=', from!))
    .$if(to !== undefined, (rows) => rows.where('created_at', '<', to!))
    .$if(keyHash !== undefined, (rows) => rows.where('key_hash', '=', keyHash!))
    .$if(workspaceId !== undefined, (rows) => rows.where('workspace_id', '=', workspaceId!))
    .$if(sessionId !== undefined, (rows) => rows.where('session_id', '=', sessionId!))
    .$if(guardrailId !== undefined, (rows) => rows.where('guardrails', 'is not', null))
    .$if(outcome !== undefined && !outcome.includes('success'), (rows) =>
      rows.where('outcome', '<>', sql.lit('success')),
    )
}

/**
 * Whether rows must be looked at one by one. If not, the inner query is limited to the page too, which the database
 * plans better.
 */
function isSearched({ from, to, keyHash, workspaceId, sessionId, ...others }: GenerationFilter): boolean {
  return Object.values(others).some((wanted) => wanted !== undefined)
}

/** Conditions that each row is tested for. */
function byValue(query: Generations, filter: GenerationFilter): Generations {
  const { userId, model, provider, preset, guardrailId, outcome, error, streamed } = filter
  const { minCost, maxCost, minLatencyMs, maxLatencyMs, minDurationMs, maxDurationMs } = filter
  return query
    .$if(userId !== undefined, (rows) => rows.where('user_id', '=', userId!))
    .$if(model !== undefined, (rows) => rows.where('model', '=', model!))
    .$if(provider !== undefined, (rows) => rows.where('provider', '=', provider!))
    .$if(preset !== undefined, (rows) => rows.where('preset', '=', preset!))
    .$if(guardrailId !== undefined, (rows) =>
      rows.where(sql<boolean>`',' || guardrails || ',' like ${`%,${guardrailId},%`}`),
    )
    .$if(outcome !== undefined, (rows) => rows.where('outcome', 'in', outcome!))
    .$if(error !== undefined, (rows) => rows.where('error', '=', error!))
    .$if(streamed !== undefined, (rows) => rows.where('streamed', '=', streamed ? 1 : 0))
    .$if(minCost !== undefined, (rows) => rows.where('cost_pico', '>=', minCost!))
    .$if(maxCost !== undefined, (rows) => rows.where('cost_pico', '<=', maxCost!))
    .$if(minLatencyMs !== undefined, (rows) => rows.where('latency_ms', '>=', minLatencyMs!))
    .$if(maxLatencyMs !== undefined, (rows) => rows.where('latency_ms', '<=', maxLatencyMs!))
    .$if(minDurationMs !== undefined, (rows) => rows.where('duration_ms', '>=', minDurationMs!))
    .$if(maxDurationMs !== undefined, (rows) => rows.where('duration_ms', '<=', maxDurationMs!))
}

const cursorOf = ({ createdAt, id }: ListGenerationsPlace) => Buffer.from(`${createdAt} ${id}`).toString('base64url')

function readCursor(cursor: string): ListGenerationsPlace {
  const [, createdAt, id] = /^(\d{1,15}) (\S{1,200})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (createdAt && id) return { createdAt: Number(createdAt), id }
  throw new Fault('invalid', 'Invalid request: cursor: must be the next_cursor of an earlier page')
}
