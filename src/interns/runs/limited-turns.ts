import { waitUntil } from '#platform/async/wait-for.ts'
import type { Now } from '#platform/core/clock.ts'
import { createDatabaseClock } from '#platform/db/clock.ts'
import type { Db, Query, Tx } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { upsert } from '#platform/db/rows/upsert.ts'
import { subscribeToEntity } from '#platform/db/signals.ts'
import { Refusal } from '../contract/refusal.ts'
import type { CostLimitName, TurnBudget } from '../contract/turn-budget.ts'

/** A request that a budget refused: the name of the limit, and the maximum cost of the request. Stored as JSON. */
export type RefusedRequest = { part: CostLimitName; neededUsd: number }

/** A turn with a limit for its cost. */
export type LimitedTurn = {
  /** The id of the turn's account, under which budgets count its cost; without an account the id of its run. */
  id: string
  internId: string
  /** Null until its run is stored. */
  runId: string | null
  sessionId: string | null
  startedAt: number
  maxCostUsd: number
  limitName: CostLimitName
  /** The limit of all turns of its session. */
  sessionUsd?: number | undefined
  refused?: RefusedRequest | undefined
}

type LimitedRun = LimitedTurn & { runId: string }

/** The open runs of an intern that have a cost limit. */
export async function findLimitedRuns(query: Query, internId: string): Promise<LimitedRun[]> {
  const rows = await selectOpenRuns(query).where('intern_id', '=', internId).execute()
  return rows.flatMap(toLimitedTurns) as LimitedRun[]
}

/** The longest wait for the end of a run to be stored. */
const storeTimeoutMs = 2000
/** The longest wait for a run with a cost limit: another server can need this time to take over an intern after a crash. */
const limitedStoreTimeoutMs = 10_000

/**
 * Waits until the end of a run is stored. Until then, the cost limit of this run also applies to the requests of the next run of
 * the intern, and could refuse or shorten them. @param options.canHaveCostLimit extends the longest wait.
 */
export async function waitUntilEndStored(
  { query, signals }: Pick<Db, 'query' | 'signals'>,
  internId: string,
  runId: string,
  { canHaveCostLimit }: { canHaveCostLimit: boolean },
): Promise<void> {
  const hasEnded = async () => {
    const openRun = await query
      .selectFrom('intern_runs')
      .where('intern_id', '=', internId)
      .where('id', '=', runId)
      .where('status', '<>', 'ended')
      .select('id')
      .executeTakeFirst()
    return openRun === undefined
  }
  const subscribe = subscribeToEntity(signals, 'run.changed', internId)
  await waitUntil(hasEnded, { subscribe, timeoutMs: canHaveCostLimit ? limitedStoreTimeoutMs : storeTimeoutMs })
}

/** Announcements expire by the clock of the database, because those of servers differ. */
type TurnDeps = { db: Pick<Db, 'query' | 'kind'>; now: Now }

/** The turns in flight of the intern with a key, over all servers. */
type KeyTurns = { hasRunningTurn: boolean; limited: LimitedTurn[] }

/**
 * Finds the turns of the intern with this key that are starting, running or waiting for an answer. Uses one statement, so that a
 * turn whose run is stored meanwhile is not missed.
 */
export async function findTurnsOfKey({ db, now }: TurnDeps, keyHash: string): Promise<KeyTurns> {
  const { query } = db
  const announcedTurns = query
    .selectFrom('announced_turns')
    .where('key_hash', '=', keyHash)
    .where('expires_at', '>', createDatabaseClock(db, now).nowSql())
    .select((e) => e.cast(e.val(null), 'text').as('run_id'))
    .select(['intern_id', 'session_id', 'began_at', 'budget'])
    .select((e) => e.cast(e.val(null), 'text').as('refused'))
    .$castTo<TurnRow>()
  const owner = query.selectFrom('interns').where('key_hash', '=', keyHash).select('id')
  // A run without a limit has no metered key, but is also a running turn. Its own key is that of the intern, null if a server
  // of an older version stored it, and empty if only a daemon reports it. The latter does not count: the intern can invent it.
  const runs = selectOpenRuns(query)
    .where('intern_id', '=', owner)
    .where((e) => {
      const isOwnKey = e.or([e('own_key', '=', keyHash), e('own_key', 'is', null)])
      return e.or([e('metered_key', '=', keyHash), e.and([e('metered_key', 'is', null), isOwnKey])])
    })
  const rows = await announcedTurns.unionAll(runs).execute()
  const turns = rows.flatMap(toLimitedTurns)
  const stored = new Set(turns.flatMap(({ id, runId }) => (runId === null ? [] : id)))
  const limited = turns.filter(({ id, runId }) => runId !== null || !stored.has(id))
  return { hasRunningTurn: rows.length > 0, limited }
}

const selectOpenRuns = (query: Query) =>
  query
    .selectFrom('intern_runs')
    .where('status', '<>', 'ended')
    .select(['id as run_id', 'intern_id', 'session_id', 'began_at', 'budget', 'refused'])
    .$castTo<TurnRow>()

type TurnRow = {
  run_id: string | null
  intern_id: string
  session_id: string | null
  began_at: number
  budget: string | null
  refused: string | null
}

function toLimitedTurns({ run_id, intern_id, session_id, began_at, budget, refused }: TurnRow): LimitedTurn[] {
  const { id = run_id!, costUsd, costOf, sessionUsd } = JSON.parse(budget ?? '{}') as TurnBudget
  if (costUsd === undefined || !costOf) return []
  const turn = { id, internId: intern_id, runId: run_id, sessionId: session_id, startedAt: Number(began_at) }
  return [
    {
      ...turn,
      maxCostUsd: costUsd,
      limitName: costOf,
      sessionUsd,
      refused: refused === null ? undefined : (JSON.parse(refused) as RefusedRequest),
    },
  ]
}

/** Stores that a budget refused a request of a run. The server that supervises the intern then ends the run. */
export async function saveRefusedRequest(
  db: Pick<Db, 'exclusively'>,
  { internId, runId }: LimitedRun,
  request: RefusedRequest,
): Promise<void> {
  await db.exclusively(`refused run ${runId}`, async (tx, publish) => {
    await tx
      .updateTable('intern_runs')
      .set({ refused: JSON.stringify(request) })
      .where('intern_id', '=', internId)
      .where('id', '=', runId)
      .where('refused', 'is', null)
      .execute()
    publish('run.changed', internId)
  })
}

type NewTurn = {
  /** The id of the turn's account. A prompt that is sent again to another server has the same. */
  account: string
  internId: string
  sessionId: string | undefined
  keyHash: string | null
  budget?: TurnBudget | undefined
}
type AnnounceDeps = TurnDeps & { idleTimeoutMs: number }

/**
 * An announcement must last until the run of its turn is stored. The agent can take the whole idle timeout to its first
 * output, and the run is stored within this time after it.
 */
const runStoredWithinMs = 60_000

/**
 * Announces a turn with its budget to all servers, and starts it: the agent calls models before the run is stored. If this
 * server crashes meanwhile, the announcement expires.
 */
export async function announceTurn<Started>(
  { db, now, idleTimeoutMs }: AnnounceDeps,
  { account, internId, sessionId, keyHash, budget }: NewTurn,
  start: (budget: TurnBudget | undefined) => Promise<Started>,
): Promise<Started> {
  if (keyHash === null) return start(budget)
  const accountedBudget = { ...budget, id: account }
  const expiresAt = sql<number>`${createDatabaseClock(db, now).nowSql()} + ${idleTimeoutMs + runStoredWithinMs}`
  const row = {
    id: account,
    intern_id: internId,
    session_id: sessionId ?? null,
    key_hash: keyHash,
    budget: JSON.stringify(accountedBudget),
    began_at: now(),
    expires_at: expiresAt,
  }
  await upsert(db.query, 'announced_turns', [row], { key: ['id'] }).execute()
  try {
    return await start(accountedBudget)
  } catch (error) {
    // After a broken connection, the turn can have started. An announcement that cannot be deleted expires.
    const canHaveStarted = error instanceof Refusal && error.kind === 'stream_severed'
    if (!canHaveStarted) await deleteAnnouncement(db.query, account).catch(() => {})
    throw error
  }
}

/** The hash of the key that the intern had when the turn was announced. */
export async function findAnnouncedKey(query: Query | Tx, id: string): Promise<string | undefined> {
  const row = await query.selectFrom('announced_turns').where('id', '=', id).select('key_hash').executeTakeFirst()
  return row?.key_hash
}

/** The budget with which a turn of this intern was announced. */
export async function findAnnouncedBudget(
  query: Query | Tx,
  internId: string,
  id: string,
): Promise<TurnBudget | undefined> {
  const row = await query
    .selectFrom('announced_turns')
    .where('id', '=', id)
    .where('intern_id', '=', internId)
    .select('budget')
    .executeTakeFirst()
  return row && (JSON.parse(row.budget) as TurnBudget)
}

/** Deletes an announcement: the turn is stored as a run, or did not start. */
export async function deleteAnnouncement(query: Query | Tx, id: string): Promise<void> {
  await query.deleteFrom('announced_turns').where('id', '=', id).execute()
}

/** Deletes the announcements of turns that were not stored in time. */
export async function deleteExpiredAnnouncements({ db, now }: TurnDeps): Promise<void> {
  const { query } = db
  await query.deleteFrom('announced_turns').where('expires_at', '<', createDatabaseClock(db, now).nowSql()).execute()
}

/** The accounts of turns that are possibly in flight. */
export async function findOpenAccounts({ db, now }: TurnDeps): Promise<string[]> {
  const { query } = db
  const announcedTurns = await query
    .selectFrom('announced_turns')
    .where('expires_at', '>=', createDatabaseClock(db, now).nowSql())
    .select('id')
    .execute()
  const runs = await selectOpenRuns(query).execute()
  return [...announcedTurns, ...runs.flatMap(toLimitedTurns)].map(({ id }) => id)
}
