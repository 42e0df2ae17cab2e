import { waitFor } from '#platform/async/wait-for.ts'
import type { Now } from '#platform/core/clock.ts'
import { databaseClock } from '#platform/db/clock.ts'
import type { Db, Query, Tx } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { upsert } from '#platform/db/rows/upsert.ts'
import { changesOf } from '#platform/db/signals.ts'
import { Refusal } from '../contract/refusal.ts'
import type { CostPart, TurnBudget } from '../contract/turn-budget.ts'

/** A request that a budget left no room for: what it may have cost. */
export type RefusedRequest = { part: CostPart; neededUsd: number }

/** A turn that may cost no more than this, since it began. */
export type LimitedTurn = {
  /** Of the account of what it costs. */
  id: string
  internId: string
  /** Null until it is known as a run. */
  runId: string | null
  sessionId: string | null
  startedAt: number
  costUsd: number
  part: CostPart
  /** What all turns of its session may cost. */
  sessionUsd?: number | undefined
  refused?: RefusedRequest | undefined
}

type LimitedRun = LimitedTurn & { runId: string }

/** The turns of an intern that are under way and may cost no more than they may, as far as they are known as runs. */
export async function limitedRuns(query: Query, internId: string): Promise<LimitedRun[]> {
  const rows = await openRuns(query).where('intern_id', '=', internId).execute()
  return rows.flatMap(read) as LimitedRun[]
}

/** How long a caller waits for the end of its turn to be written, in milliseconds. */
const writtenWithinMsOf = {
  /** Another server needs this long to adopt an intern whose own is gone, and to read of its runs. */
  limited: 10_000,
  unlimited: 2000,
}

/**
 * Resolves when the end of a turn is written. Until then the intern's key can spend, and requests count for this turn, also those
 * of the turn that its caller starts next: they would be refused, or have shorter answers, by what is left of this one.
 */
export async function waitUntilStored(
  { query, signals }: Pick<Db, 'query' | 'signals'>,
  internId: string,
  runId: string,
  limit: keyof typeof writtenWithinMsOf,
): Promise<void> {
  const hasEnded = async () =>
    (await query
      .selectFrom('intern_runs')
      .where('intern_id', '=', internId)
      .where('id', '=', runId)
      .where('status', '<>', 'ended')
      .select('id')
      .executeTakeFirst()) === undefined || undefined
  const subscribe = changesOf(signals, 'run.changed', internId)
  await waitFor(hasEnded, { subscribe, timeoutMs: writtenWithinMsOf[limit] })
}

/** Whether an announcement has expired is told by the clock of the database: those of servers differ. */
type KnownDeps = { db: Pick<Db, 'query' | 'kind'>; now: Now }

/** The turns in flight of the intern with a key, whatever server they were started through. */
export type KeyTurns = { isInTurn: boolean; limited: LimitedTurn[] }

/**
 * Finds the turns of the intern with this key that are running, waiting for an answer, or starting, as long as it has had the key.
 * In one statement: a turn that becomes a run meanwhile is either.
 */
export async function turnsOfKey({ db, now }: KnownDeps, keyHash: string): Promise<KeyTurns> {
  const { query } = db
  const announced = query
    .selectFrom('announced_turns')
    .where('key_hash', '=', keyHash)
    .where('expires_at', '>', databaseClock(db, now).at())
    .select((e) => e.cast(e.val(null), 'text').as('run_id'))
    .select(['intern_id', 'session_id', 'began_at', 'budget'])
    .select((e) => e.cast(e.val(null), 'text').as('refused'))
    .$castTo<Row>()
  const owner = query.selectFrom('interns').where('key_hash', '=', keyHash).select('id')
  const runs = openRuns(query)
    .where('intern_id', '=', owner)
    .where((e) => e.or([e('metered_key', '=', keyHash), e('metered_key', 'is', null)]))
  const rows = await announced.unionAll(runs).execute()
  const turns = rows.flatMap(read)
  const known = new Set(turns.flatMap(({ id, runId }) => (runId === null ? [] : id)))
  const limited = turns.filter(({ id, runId }) => runId !== null || !known.has(id))
  return { isInTurn: rows.length > 0, limited }
}

const openRuns = (query: Query) =>
  query
    .selectFrom('intern_runs')
    .where('status', '<>', 'ended')
    .select(['id as run_id', 'intern_id', 'session_id', 'began_at', 'budget', 'refused'])
    .$castTo<Row>()

type Row = {
  run_id: string | null
  intern_id: string
  session_id: string | null
  began_at: number
  budget: string | null
  refused: string | null
}

function read({ run_id, intern_id, session_id, began_at, budget, refused }: Row): LimitedTurn[] {
  const { id = run_id!, costUsd, costOf, sessionUsd } = JSON.parse(budget ?? '{}') as TurnBudget
  if (costUsd === undefined || !costOf) return []
  const about = { id, internId: intern_id, runId: run_id, sessionId: session_id, startedAt: Number(began_at) }
  return [
    {
      ...{ ...about, costUsd, part: costOf, sessionUsd },
      refused: refused === null ? undefined : (JSON.parse(refused) as RefusedRequest),
    },
  ]
}

/** Stores that a budget refused a request of a run. The server that supervises the intern then ends the run. */
export async function noteRefused(
  db: Pick<Db, 'exclusively'>,
  { internId, runId }: LimitedRun,
  request: RefusedRequest,
): Promise<void> {
  await db.exclusively(`refused run ${runId}`, async (tx, announce) => {
    await tx
      .updateTable('intern_runs')
      .set({ refused: JSON.stringify(request) })
      .where('intern_id', '=', internId)
      .where('id', '=', runId)
      .where('refused', 'is', null)
      .execute()
    announce('run.changed', internId)
  })
}

type Announced = {
  /** Names the account; the same for all tries of a prompt, which are one turn. */
  account: string
  internId: string
  sessionId: string | undefined
  keyHash: string | null
  budget?: TurnBudget | undefined
}
type AnnounceDeps = KnownDeps & { budgetMs: number }

/** What a turn may take to be known as a run, besides the time for which its intern may say nothing. */
const writtenWithinMs = 60_000

/**
 * Starts a turn. All servers know before that it is in flight, and what it can cost: its agent asks its model long before the
 * turn is known as a run. Until then the announcement stands for it, and for a while where this server dies in between.
 */
export async function announcing<Begun>(
  { db, now, budgetMs }: AnnounceDeps,
  { account, internId, sessionId, keyHash, budget }: Announced,
  begin: (budget: TurnBudget | undefined) => Promise<Begun>,
): Promise<Begun> {
  if (keyHash === null) return begin(budget)
  const own = { ...budget, id: account }
  const expiresAt = sql<number>`${databaseClock(db, now).at()} + ${budgetMs + writtenWithinMs}`
  const row = {
    ...{ id: account, intern_id: internId, session_id: sessionId ?? null, key_hash: keyHash },
    ...{ budget: JSON.stringify(own), began_at: now(), expires_at: expiresAt as never },
  }
  await upsert(db.query, 'announced_turns', [row], { key: ['id'] }).execute()
  try {
    return await begin(own)
  } catch (error) {
    // It may have begun only where it was said to the intern and the connection broke then.
    if (error instanceof Refusal && error.kind !== 'stream_severed') await forgetAnnounced(db.query, account)
    throw error
  }
}

/** The key of the intern when the turn was announced. */
export async function announcedKey(query: Query | Tx, id: string): Promise<string | undefined> {
  const row = await query.selectFrom('announced_turns').where('id', '=', id).select('key_hash').executeTakeFirst()
  return row?.key_hash
}

/** It is known as a run, or did not begin. */
export async function forgetAnnounced(query: Query | Tx, id: string): Promise<void> {
  await query.deleteFrom('announced_turns').where('id', '=', id).execute()
}

/** The accounts of turns that are not over, or may not be. Announcements of servers that died are forgotten. */
export async function openAccounts({ db, now }: KnownDeps): Promise<string[]> {
  const { query } = db
  await query.deleteFrom('announced_turns').where('expires_at', '<', databaseClock(db, now).at()).execute()
  const announced = await query.selectFrom('announced_turns').select('id').execute()
  const runs = await openRuns(query).execute()
  return [...announced, ...runs.flatMap(read)].map(({ id }) => id)
}
