import type { Updateable } from 'kysely'
import type { Now } from '#platform/core/clock.ts'
import type { Tx } from '#platform/db/db.ts'
import type { Publish } from '#platform/db/signals.ts'
import type { Tables } from '#platform/db/tables.ts'
import { queueEvent } from '#webhooks/outbox.ts'
import type { EndReason } from '../contract/run.ts'
import type { InternStatus } from '../registry/intern.ts'
import { findInternById } from '../registry/intern-store.ts'
import { type RunRecord, toRunRecord } from './run-record.ts'
import { whereRun } from './run-store.ts'
import { runEndedEvent } from './webhook-events.ts'

/** `spentUsd`: the metered cost of a run with a budget. */
type RunEnd = Pick<RunRecord, 'message' | 'model' | 'usage'> & {
  outcome: EndReason
  endedAt: number
  spentUsd?: number | undefined
}

/** Ends a run if it has not ended yet. Announces the end and queues webhook events. @returns the run if this call ended it. */
export async function endRun(
  tx: Tx,
  publish: Publish,
  internId: string,
  id: string,
  end: RunEnd,
): Promise<RunRecord | undefined> {
  const row = await whereRun(tx.updateTable('intern_runs').set(endedColumns(end)), internId, id)
    .where('status', '<>', 'ended')
    .returningAll()
    .executeTakeFirst()
  const run = row && toRunRecord(row)
  await reportEnds(tx, publish, internId, run ? [run] : [])
  return run
}

/** Announces runs that ended, and queues their webhook events. */
async function reportEnds(tx: Tx, publish: Publish, internId: string, runs: RunRecord[]): Promise<void> {
  if (runs.length === 0) return
  publish('run.changed', internId)
  const intern = await findInternById(tx, internId)
  if (intern) for (const run of runs) await queueEvent(tx, publish, runEndedEvent(intern, run))
}

/** The end of runs whose intern was stopped. */
export const internStoppedEnd = { outcome: 'cancelled', message: 'The intern was stopped.' } as const

/** The outcome of the runs of an intern that changes to a status other than `running`. */
export function runEndForStatus(status: InternStatus, failure: string | null | undefined) {
  return status === 'failed' ? { outcome: 'severed' as const, message: failure ?? null } : internStoppedEnd
}

/**
 * Ends runs that were stored after their intern was stopped or failed, because nothing else would end them before its next
 * start. Call it in a transaction that holds the intern's lock.
 */
export async function endRunsOfStopped(tx: Tx, publish: Publish, internId: string, now: Now): Promise<void> {
  const intern = await findInternById(tx, internId)
  if (!intern || intern.status === 'running') return
  await endRuns(tx, publish, internId, { ...runEndForStatus(intern.status, intern.lastFailureMessage), endedAt: now() })
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
  await reportEnds(tx, publish, internId, rows.map(toRunRecord))
}

function endedColumns({
  outcome,
  message,
  model,
  usage,
  endedAt,
  spentUsd,
}: RunEnd): Updateable<Tables['intern_runs']> {
  const reportedUsd = usage?.cost
  const isCostKnown = reportedUsd !== undefined || spentUsd !== undefined
  const spent_usd = isCostKnown ? Math.max(reportedUsd ?? 0, spentUsd ?? 0) : null
  const end = { outcome, message, model, usage: usage && JSON.stringify(usage), ended_at: endedAt, spent_usd }
  return { status: 'ended', question_id: null, ...end }
}
