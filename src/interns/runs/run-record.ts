import type { Selectable } from 'kysely'
import type { Usage } from '#chat/usage.ts'
import { isoTime } from '#platform/core/clock.ts'
import type { Tables } from '#platform/db/tables.ts'
import { z } from '#platform/json/schema.ts'
import { type EndReason, endReasons } from '../contract/run.ts'

export const runStatuses = ['running', 'waiting', 'ended'] as const
export type RunStatus = (typeof runStatuses)[number]

/** A stored run. */
export type RunRecord = {
  id: string
  internId: string
  sessionId: string
  status: RunStatus
  background: boolean
  /** The member who sent the prompt; null if unknown. */
  startedBy: string | null
  questionId: string | null
  outcome: EndReason | null
  message: string | null
  model: string | null
  usage: Usage | null
  startedAt: number
  endedAt: number | null
}

export const InternRun = z
  .object({
    id: z.string(),
    intern_id: z.string(),
    session_id: z.string(),
    status: z.enum(runStatuses).describe('`waiting`: for the answer to `question_id`.'),
    background: z.boolean().describe('Whether the run continues after its caller disconnects.'),
    started_by_user_id: z.string().nullable().describe('The member who sent the prompt; null if unknown.'),
    question_id: z.string().nullable(),
    outcome: z
      .enum(endReasons)
      .nullable()
      .describe('The outcome in the transcript; only `finished` is a success. Null while the run has not ended.'),
    error: z.string().nullable().describe('Details of the outcome, if there are any.'),
    model: z.string().nullable(),
    usage: z
      .looseObject({ prompt_tokens: z.number(), completion_tokens: z.number(), total_tokens: z.number() })
      .nullable(),
    cost_usd: z
      .number()
      .nullable()
      .describe('The cost reported by the agent, or the metered cost; null if neither is known for this run.'),
    created_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'InternRun', description: 'The work of an intern on one prompt.' })

export function toRunItem(run: RunRecord): z.infer<typeof InternRun> {
  return {
    id: run.id,
    intern_id: run.internId,
    session_id: run.sessionId,
    status: run.status,
    background: run.background,
    started_by_user_id: run.startedBy,
    question_id: run.questionId,
    outcome: run.outcome,
    error: run.message,
    model: run.model,
    usage: run.usage,
    cost_usd: run.usage?.cost ?? null,
    created_at: isoTime(run.startedAt),
    ended_at: run.endedAt === null ? null : isoTime(run.endedAt),
  }
}

export function toRunRecord(row: Selectable<Tables['intern_runs']>): RunRecord {
  return {
    id: row.id,
    internId: row.intern_id,
    sessionId: row.session_id,
    status: row.status as RunStatus,
    background: row.background === 1,
    startedBy: row.started_by,
    questionId: row.question_id,
    outcome: row.outcome as EndReason | null,
    message: row.message,
    model: row.model,
    usage: row.usage === null ? null : (JSON.parse(row.usage) as Usage),
    startedAt: row.began_at,
    endedAt: row.ended_at,
  }
}
