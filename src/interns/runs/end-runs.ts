import type { Updateable } from 'kysely'
import type { Now } from '#platform/core/clock.ts'
import type { Tx } from '#platform/db/db.ts'
import type { Publish } from '#platform/db/signals.ts'
import type { Tables } from '#platform/db/tables.ts'
import { queueEvent } from '#webhooks/outbox.ts'
import type { EndReason } from '../contract/run.ts'
import type { InternStatus } from '../registry/intern.ts'
import { internById } from '../registry/store.ts'
import { type RunRecord, runOf } from './run-record.ts'
import { whereRun } from './run-store.ts'
import { runEndedEvent } from './webhook-events.ts'

/** `spentUsd`: the metered cost of a turn with a budget. */
export type RunEnd = Pick<RunRecord, 'message' | 'model' | 'usage'> & {
  outcome: EndReason
  endedAt: number
  spentUsd?: number | undefined
}

/** Ends a run. Announces it and queues webhook events, unless it had ended before. @returns the run, if this ended it. */
export async function endRun(
  tx: Tx,
  publish: Publish,
  internId: string,
  id: string,
  end: RunEnd,
): Promise<RunRecord | undefined> {
  const row = await whereRun(tx.updateTable('intern_runs').set(ended(end)), internId, id)
    .where('status', '<>', 'ended')
    .returningAll()
    .executeTakeFirst()
  const run = row && runOf(row)
  await reportEnds(tx, publish, internId, run ? [run] : [])
  return run
}

/** Announces runs that ended, and queues their webhook events. */
async function reportEnds(tx: Tx, publish: Publish, internId: string, runs: RunRecord[]): Promise<void> {
  if (runs.length === 0) return
  publish('run.changed', internId)
  const intern = await internById(tx, internId)
  if (intern) for (const run of runs) await queueEvent(tx, publish, runEndedEvent(intern, run))
}

/** The end of runs whose intern was stopped. */
export const internStopped = { outcome: 'cancelled', message: 'The intern was stopped.' } as const

/** The outcome of the runs of an intern that changes to a status other than `running`. */
export function endOfRuns(status: InternStatus, failure: string | null | undefined) {
  return status === 'failed' ? { outcome: 'severed' as const, message: failure ?? null } : internStopped
}

/**
 * Ends runs that were stored after their intern was stopped or failed, because nothing else would end them before its next
 * start. Call it in a transaction that holds the intern's lock.
 */
export async function endRunsOfStopped(tx: Tx, publish: Publish, internId: string, now: Now): Promise<void> {
  const intern = await internById(tx, internId)
  if (!intern || intern.status === 'running') return
  await endRuns(tx, publish, internId, { ...endOfRuns(intern.status, intern.lastFailureMessage), endedAt: now() })
}

/** Ends all open runs of an intern, announces them and queues webhook events. */
export async function endRuns(
  tx: Tx,
  publish: Publish,
  internId: string,
  { outcome, message, endedAt }: Pick<RunEnd, 'outcome' | 'message' | 'endedAt'>,
): Promise<void> {
  const rows = await tx
    .updateTable('intern_runs')
    .set({ status: 'ended', question_id: null, outcome, message, ended_at: endedAt })
    .where('intern_id', '=', internId)
    .where('status', '<>', 'ended')
    .returningAll()
    .execute()
  await reportEnds(tx, publish, internId, rows.map(runOf))
}

function ended({ outcome, message, model, usage, endedAt, spentUsd }: RunEnd): Updateable<Tables['intern_runs']> {
  const reported = usage?.cost
  const spent = reported === undefined && spentUsd === undefined ? null : Math.max(reported ?? 0, spentUsd ?? 0)
  const end = { outcome, message, model, usage: usage && JSON.stringify(usage), ended_at: endedAt, spent_usd: spent }
  return { status: 'ended', question_id: null, ...end }
}
