import { TokenBucket } from '#platform/async/limits/token-bucket.ts'
import { startReconciler } from '#platform/async/reconcile.ts'
import type { Now } from '#platform/core/clock.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import type { Publish } from '#platform/db/signals.ts'
import type { DaemonApi } from '../contract/daemon-api.ts'
import type { Milestone } from '../contract/transcript.ts'
import { findInternById, type Intern } from '../registry/intern-store.ts'
import type { DecisionCollector } from '../rules/decision-collector.ts'
import { watchSpending } from './cancel-spent-runs.ts'
import { endRun, endRunsOfStopped } from './end-runs.ts'
import { findLimitedRuns } from './limited-turns.ts'
import { type ReadMeteredUsage, withMeteredUsage } from './metered-usage.ts'
import { endQuestions, questionsLock, storeQuestion } from './questions.ts'
import { type CheckStarter, revokeRuns } from './revoke-runs.ts'
import type { RunRecord } from './run-record.ts'
import type { ReadSpending } from './run-spending.ts'
import { findRun, saveReportedRun, setRunWaiting } from './run-store.ts'

export type FollowDeps = {
  db: Db
  now: Now
  readMeteredUsage: ReadMeteredUsage
  readSpending: ReadSpending
  checkStarter: CheckStarter
  decisions: DecisionCollector
  /** Called when a run has ended. */
  onEnded: (intern: Pick<Intern, 'id' | 'name'>, run: RunRecord) => void
  onError: (error: Error) => void
}

/**
 * The pause between writes, so that a busy intern does not keep the database busy. The start of a run alone has no pause,
 * because the caller waits for its end to be stored.
 */
const pauseMs = 100
const backoff = { firstMs: 1000, maxMs: 30_000 }
/**
 * The rate limit of responses about milestones. A daemon sends its response when there is a milestone, or after 20 seconds; a
 * compromised one can answer at once, or report starts without end.
 */
const responseRate = { perSecond: 10, capacity: 50 }
/**
 * The time after the end of a run in which its metered usage is read. Usage is read from the start of the run on, so later it
 * could include that of the next run.
 */
const readUsageWithinMs = 5000

/**
 * Stores the runs of an intern as its daemon reports them, from the last stored one on, whether or not a caller reads the
 * reply. @returns the function that stops it.
 */
export function followRuns(deps: FollowDeps, intern: Intern, runsOf: () => DaemonApi): () => void {
  const { db, decisions, onError } = deps
  const { id } = intern
  const stopController = new AbortController()
  const { signal } = stopController
  const checkSpending = watchSpending(deps, id, runsOf, signal)
  const checkStarters = revokeRuns(deps, intern, runsOf, signal)
  const responseLimit = new TokenBucket({ ...responseRate, now: () => performance.now() })

  /** Waits for the next milestones, and stores them. @returns the pause before the next call. */
  async function storeNextMilestones(): Promise<number> {
    const milestones = await runsOf().transcripts.milestones(await readLastRevision(db, id), signal)
    if (milestones.length > 0) await storeMilestones(deps, id, milestones)
    const entries = milestones.map(({ entry }) => entry)
    if (entries.some((entry) => entry.type === 'prompt' && entry.budget?.costUsd !== undefined)) checkSpending()
    if (entries.some(canBeInBackground)) checkStarters()
    const hasProgress = entries.some(({ type }) => type !== 'prompt')
    // The run may have no reader who would collect its decisions.
    if (hasProgress) void decisions.collect(intern, runsOf())
    return Math.max(hasProgress ? pauseMs : 0, responseLimit.take(1))
  }

  const { trigger } = startReconciler(storeNextMilestones, {
    signal,
    retryMs: backoff,
    onError: ({ message }) => onError(new Error(`Failed to store the runs of intern ${id}: ${message}`)),
  })
  checkSpending()
  checkStarters()
  trigger()
  return () => stopController.abort()
}

/** Whether a run can now be in the background: a prompt can start it there, and the answer to a question can move it there. */
const canBeInBackground = (entry: Milestone['entry']) =>
  entry.type === 'question' || (entry.type === 'prompt' && entry.background === true)

async function readLastRevision({ query }: Db, internId: string): Promise<number> {
  const row = await query.selectFrom('interns').where('id', '=', internId).select('runs_seen').executeTakeFirst()
  // Nothing is stored for an intern that was deleted.
  return row?.runs_seen ?? Number.MAX_SAFE_INTEGER
}

/** Stores milestones in one transaction. */
async function storeMilestones(deps: FollowDeps, internId: string, reported: Milestone[]): Promise<void> {
  const { db, now } = deps
  const intern = await findInternById(db.query, internId)
  if (!intern) return
  const [milestones, spentByRun] = await Promise.all([
    Promise.all(reported.map((milestone) => storableMilestone(deps, intern, milestone))),
    readEndedCosts(deps, intern, reported),
  ])
  const lastRevision = Math.max(...milestones.map(({ entry }) => entry.revision))
  const endedRuns = await db.exclusively(questionsLock(internId), async (tx, publish) => {
    // Locked before the runs, in the same order as changes of an intern's status.
    await tx.updateTable('interns').set({ runs_seen: lastRevision }).where('id', '=', internId).execute()
    const runs: RunRecord[] = []
    for (const milestone of milestones) {
      const run = await storeMilestone(tx, publish, internId, {
        now,
        milestone,
        spentByRun,
        internKey: intern.keyHash,
      })
      if (run) runs.push(run)
    }
    await endRunsOfStopped(tx, publish, internId, now)
    return runs
  })
  for (const run of endedRuns) deps.onEnded(intern, run)
}

/**
 * The recorded cost in USD of limited runs that ended, by run id. A cost that can still rise is missing. The next run of the
 * session reads that cost again when it computes its budget.
 */
async function readEndedCosts({ db, readSpending }: FollowDeps, { id, keyHash }: Intern, milestones: Milestone[]) {
  const entries = milestones.map(({ entry }) => entry)
  const ends = entries.filter(({ type }) => type === 'end')
  const costs = new Map<string, number>()
  if (ends.length === 0 || keyHash === null) return costs
  const startedAt = new Map((await findLimitedRuns(db.query, id)).map(({ runId, startedAt }) => [runId, startedAt]))
  for (const entry of entries)
    if (entry.type === 'prompt' && entry.budget?.costUsd !== undefined) startedAt.set(entry.runId, Math.round(entry.at))
  for (const { runId, at } of ends) {
    const runStartedAt = startedAt.get(runId)
    if (runStartedAt === undefined) continue
    const { usd, isComplete } = await readSpending(keyHash, runStartedAt, Math.ceil(at))
    if (isComplete) costs.set(runId, usd)
  }
  return costs
}

/** The milestone with metered usage, and without secrets. */
async function storableMilestone(
  { now, readMeteredUsage, decisions }: FollowDeps,
  intern: Intern,
  milestone: Milestone,
): Promise<Milestone> {
  const { entry } = milestone
  if (entry.type === 'question' && entry.action) {
    return { ...milestone, entry: { ...entry, action: await decisions.concealAction(intern, entry.action) } }
  }
  if (entry.type !== 'end' || now() - entry.at > readUsageWithinMs) return milestone
  const { usage } = await withMeteredUsage(entry, intern.keyHash, readMeteredUsage)
  return { ...milestone, entry: { ...entry, usage } }
}

type MilestoneContext = {
  now: Now
  milestone: Milestone
  /** The cost in USD of each run that ended, if it is known. */
  spentByRun: ReadonlyMap<string, number>
  internKey: string | null
}

/** @returns the run, if the milestone ended it. */
async function storeMilestone(
  tx: Tx,
  publish: Publish,
  internId: string,
  { now, milestone, spentByRun, internKey }: MilestoneContext,
): Promise<RunRecord | undefined> {
  const { sessionId, entry } = milestone
  const id = entry.runId
  // The clock of a daemon on another host can be ahead.
  const at = Math.min(Math.round(entry.at), now())
  switch (entry.type) {
    case 'prompt':
      await saveReportedRun(tx, internId, {
        id,
        sessionId,
        background: entry.background === true,
        startedBy: entry.by,
        startedAt: at,
        budget: entry.budget,
        internKey,
      })
      publish('run.changed', internId)
      return undefined
    case 'question':
      await applyQuestion(tx, publish, internId, { now, sessionId, entry })
      return undefined
    case 'end': {
      const { reason: outcome, message, model, usage } = entry
      const spentUsd = spentByRun.get(id)
      return endRun(tx, publish, internId, id, { outcome, message, model, usage, spentUsd, endedAt: at })
    }
    default:
      return entry satisfies never
  }
}

type QuestionChange = { now: Now; sessionId: string; entry: Extract<Milestone['entry'], { type: 'question' }> }

/**
 * Stores a question, or deletes it after its answer. The server of the caller does so as well, but that server can crash, and
 * a background run has no caller.
 */
async function applyQuestion(tx: Tx, publish: Publish, internId: string, { now, sessionId, entry }: QuestionChange) {
  const { runId, question, deadlineAt, answer, action } = entry
  const { id } = question
  await setRunWaiting(tx, internId, { id: runId, questionId: id, isOver: answer.state !== 'waiting' })
  if (answer.state === 'ended') return endQuestions(tx, publish, internId, { now, id, end: { state: 'ended' } })
  if (answer.state === 'waiting') {
    const run = await findRun({ db: { query: tx } }, internId, runId)
    if (run && run.status !== 'ended' && deadlineAt > now())
      await storeQuestion(tx, publish, internId, { now, question: { question, sessionId, deadlineAt, action } })
    return
  }
  const end = answer.by === null ? { state: 'ended' as const } : { state: 'answered' as const, answered_by: answer.by }
  await endQuestions(tx, publish, internId, { now, id, end })
}
