import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, Tx } from '#db/db.ts'
import type { Announce } from '#db/signals.ts'
import type { Now } from '#lib/clock.ts'
import { type Metered, withMeteredUsage } from './metered-usage.ts'
import { endQuestions, keepQuestion, questionsOf } from './questions.ts'
import type { DecisionCollector } from './rules/collect.ts'
import { beginRun, endRun, findRun, waitRun } from './run-store.ts'
import type { Runs } from './runs.ts'
import { type Intern, internById } from './store.ts'
import type { Milestone } from './transcript.ts'

export type FollowDeps = {
  db: Db
  now: Now
  metered: Metered
  decisions?: DecisionCollector | undefined
  onError: (error: Error) => void
}

/** A busy intern is written down in steps, so that no intern can keep the database busy. */
const pauseMs = 200
const retryMs = { first: 1000, most: 30_000 }
/** What was metered for an intern since a turn began is that turn's alone only as long as nothing can have followed it. */
const freshMs = 5000

/**
 * Writes down the runs of an intern as its daemon tells of them, from where the last server to do so left off: whoever
 * prompted them, and whether or not anybody hears them. @returns the way to end it.
 */
export function followRuns(deps: FollowDeps, intern: Intern, runsOf: () => Runs): () => void {
  const left = new AbortController()
  void follow(deps, intern, runsOf, left.signal)
  return () => left.abort()
}

async function follow(deps: FollowDeps, intern: Intern, runsOf: () => Runs, signal: AbortSignal): Promise<void> {
  const { id } = intern
  let waitMs = retryMs.first
  while (!signal.aborted) {
    try {
      const found = await runsOf().transcripts.milestones(await seen(deps.db, id), signal)
      if (found.length > 0) await writeDown(deps, id, found)
      // Of a run that nobody hears.
      if (found.some(({ entry }) => entry.type !== 'prompt')) void deps.decisions?.collect(intern, runsOf())
      waitMs = retryMs.first
      await sleep(pauseMs, undefined, { signal, ref: false })
    } catch (error) {
      if (signal.aborted) return
      deps.onError(new Error(`The runs of the intern ${id} are not written down: ${(error as Error).message}`))
      await sleep(waitMs, undefined, { signal, ref: false }).catch(() => {})
      waitMs = Math.min(2 * waitMs, retryMs.most)
    }
  }
}

async function seen({ query }: Db, internId: string): Promise<number> {
  const row = await query.selectFrom('interns').where('id', '=', internId).select('runs_seen').executeTakeFirst()
  return row?.runs_seen ?? Number.MAX_SAFE_INTEGER
}

/** All of them, or nothing. */
export async function writeDown(deps: FollowDeps, internId: string, found: Milestone[]): Promise<void> {
  const { db, now } = deps
  const intern = await internById(db.query, internId)
  if (!intern) return
  const told = await Promise.all(found.map((milestone) => keepable(deps, intern, milestone)))
  const last = Math.max(...told.map(({ entry }) => entry.revision))
  await db.exclusively(questionsOf(internId), async (tx, announce) => {
    // Before the runs, as whoever changes an intern's state does.
    await tx.updateTable('interns').set({ runs_seen: last }).where('id', '=', internId).execute()
    for (const milestone of told) await apply(tx, announce, internId, { now, milestone })
  })
}

async function keepable(
  { now, metered, decisions }: FollowDeps,
  intern: Intern,
  milestone: Milestone,
): Promise<Milestone> {
  const { entry } = milestone
  if (entry.type === 'question' && entry.action) {
    // Where nothing can be concealed, nothing is kept.
    const { action, ...rest } = entry
    const kept = await decisions?.concealed(intern, action)
    return { ...milestone, entry: { ...rest, ...(kept && { action: kept }) } }
  }
  if (entry.type !== 'end' || now() - entry.at > freshMs) return milestone
  const { usage } = await withMeteredUsage(entry, intern.keyHash, metered)
  return { ...milestone, entry: { ...entry, usage } }
}

type Applied = { now: Now; milestone: Milestone }

async function apply(tx: Tx, announce: Announce, internId: string, { now, milestone }: Applied): Promise<void> {
  const { sessionId, entry } = milestone
  const id = entry.runId
  const at = Math.min(Math.round(entry.at), now())
  switch (entry.type) {
    case 'prompt':
      return beginRun(tx, internId, {
        id,
        sessionId,
        background: entry.background === true,
        startedBy: entry.by,
        beganAt: at,
      })
    case 'question':
      return applyQuestion(tx, announce, internId, { now, sessionId, entry })
    case 'end': {
      const { reason: outcome, message, model, usage } = entry
      await endRun(tx, announce, internId, id, { outcome, message, model, usage, endedAt: at })
      return
    }
    default:
      return entry satisfies never
  }
}

type Asked = { now: Now; sessionId: string; entry: Extract<Milestone['entry'], { type: 'question' }> }

/**
 * The question of a run with a caller is kept by the server that passes it on. In the background there may be none: then
 * it is kept here, and forgotten here where it was answered in between.
 */
async function applyQuestion(tx: Tx, announce: Announce, internId: string, { now, sessionId, entry }: Asked) {
  const { runId, question, deadlineAt, answer, action } = entry
  const { id } = question
  await waitRun(tx, internId, { id: runId, questionId: id, isOver: answer.state !== 'waiting' })
  if (answer.state === 'ended') return endQuestions(tx, announce, internId, { now, id, end: { state: 'ended' } })
  const run = await findRun({ db: { query: tx } }, internId, runId).catch(() => undefined)
  if (!run?.background || run.status === 'ended') return
  if (answer.state === 'waiting') {
    if (deadlineAt > now())
      await keepQuestion(tx, announce, internId, { now, question: { question, sessionId, deadlineAt, action } })
    return
  }
  const end = answer.by === null ? { state: 'ended' as const } : { state: 'answered' as const, answered_by: answer.by }
  await endQuestions(tx, announce, internId, { now, id, end })
}
