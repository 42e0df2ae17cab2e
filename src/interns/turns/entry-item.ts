import { isoTime, maxTimeMs } from '#platform/core/clock.ts'
import { z } from '#platform/json/schema.ts'
import { escapeUnambiguously } from '#platform/text/printable.ts'
import { PlanItem, ToolCallItem, toActivityItem } from '../contract/activity-item.ts'
import { approvalModes } from '../contract/approval-mode.ts'
import { toQuestionArguments } from '../contract/chunks.ts'
import type { Question } from '../contract/question.ts'
import { endReasons } from '../contract/run.ts'
import type { Entry, SessionSummary, TranscriptEvent } from '../contract/transcript.ts'
import { DecisionItem } from '../rules/decision-item.ts'

/** A session in the form of the API. */
export const InternSession = z
  .object({
    id: z.string().describe('The `session_id` of the chat.'),
    title: z.string().describe('The start of its first prompt.'),
    status: z.enum(['idle', 'running', 'waiting']).describe('`waiting`: for the answer to a question.'),
    turns: z.int().describe('Number of its runs. An answer to a question does not count.'),
    dropped_entries: z.int().describe('Number of deleted oldest entries.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'InternSession', description: 'A conversation with an intern.' })

const commonFields = {
  id: z.string().describe('Entry IDs increase numerically in the order of the transcript.'),
  run_id: z.string().describe('The run of the entry.'),
  at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
}

/** Each form of an entry has a name in the API description, because generators of clients fail for unnamed ones. */
const entry = <Shape extends z.ZodRawShape>(name: string, shape: Shape) =>
  z.object({ ...commonFields, ...shape }).meta({ id: `Intern${name}Entry` })

const MemberId = z.string().nullable().describe('The ID of the member; null if unknown.')

const QuestionItem = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('permission'),
    operation: z.string().nullable(),
    detail: z.string().optional(),
    options: z.array(z.string()),
    choices: z.array(z.object({ id: z.string(), kind: z.string(), name: z.string() })).optional(),
  }),
  z.object({
    kind: z.literal('elicitation'),
    message: z.string(),
    fields: z.array(
      z.object({
        name: z.string(),
        type: z.string(),
        required: z.boolean(),
        options: z.array(z.string()).optional(),
      }),
    ),
  }),
])

const UsageItem = z.looseObject({ prompt_tokens: z.number(), completion_tokens: z.number(), total_tokens: z.number() })

export const EntryItem = z
  .discriminatedUnion('type', [
    entry('Prompt', {
      type: z.literal('prompt'),
      text: z.string(),
      approval_mode: z.enum(approvalModes),
      by_user_id: MemberId,
    }),
    entry('Message', { type: z.literal('message'), text: z.string() }),
    entry('Reasoning', { type: z.literal('reasoning'), text: z.string() }),
    entry('ToolCall', { ...ToolCallItem.shape, ended_at: z.iso.datetime().nullable() }),
    entry('Plan', PlanItem.shape),
    entry('Question', {
      type: z.literal('question'),
      question_id: z.string(),
      question: QuestionItem,
      deadline_at: z.iso.datetime(),
      state: z.enum(['waiting', 'answered', 'ended']).describe('`ended`: the question ended without an answer.'),
      end_reason: z
        .enum(['withdrawn'])
        .nullable()
        .describe('`withdrawn`: the agent no longer needs the answer. Null for a question that ended with its run.'),
      answer: z.string().nullable().describe('The chosen answer. Values typed into a form are not stored.'),
      fields: z.array(z.string()).describe('The completed fields of a form.'),
      answered_by_user_id: MemberId,
      answered_by_user_name: z.string().nullable().describe('The name, or the email address without a name.'),
      answered_at: z.iso.datetime().nullable(),
    }),
    entry('Decision', {
      type: z.literal('decision'),
      operation: z.string().nullable(),
      detail: z.string().nullable().describe('The details of the question; long text is cut.'),
      ...DecisionItem.shape,
    }),
    entry('End', {
      type: z.literal('end'),
      outcome: z.enum(endReasons),
      message: z.string().nullable(),
      model: z.string().nullable(),
      usage: UsageItem.nullable(),
    }),
  ])
  .meta({ id: 'InternEntry', description: 'An entry of a transcript. It can still change.' })
export type EntryItem = z.infer<typeof EntryItem>

/** The next piece of a text in the event stream of a session. */
export const TextItem = z
  .object({
    entry_id: z.string(),
    run_id: z.string(),
    type: z.enum(['message', 'reasoning']),
    at: z.iso.datetime(),
    offset: z.int().describe('The position of the piece in the text of the entry, in UTF-16 code units.'),
    text: z.string(),
  })
  .meta({ id: 'InternText', description: 'The next piece of a text.' })

export function toSessionItem(session: SessionSummary): z.infer<typeof InternSession> {
  const { id, title, status, turns, dropped, createdAt, updatedAt } = session
  return {
    id,
    title,
    status,
    turns,
    dropped_entries: dropped,
    created_at: toIsoTime(createdAt),
    updated_at: toIsoTime(updatedAt),
  }
}

export function toTextItem(event: Extract<TranscriptEvent, { type: 'text' }>): z.infer<typeof TextItem> {
  const { id, runId, kind, at, offset, text } = event
  return { entry_id: String(id), run_id: runId, type: kind, at: toIsoTime(at), offset, text }
}

/** The names of members, by id. */
export type MemberNames = ReadonlyMap<string, string | null>

export function toEntryItem(entry: Entry, names: MemberNames): EntryItem {
  const common = {
    id: String(entry.id),
    run_id: entry.runId,
    at: toIsoTime(entry.at),
    updated_at: toIsoTime(entry.updatedAt),
  }
  switch (entry.type) {
    case 'prompt':
      return { ...common, type: 'prompt', text: entry.text, approval_mode: entry.mode, by_user_id: entry.by }
    case 'message':
    case 'reasoning':
      return { ...common, type: entry.type, text: entry.text }
    case 'tool_call': {
      const ended_at = entry.endedAt === null ? null : toIsoTime(entry.endedAt)
      return { ...common, ...toActivityItem(entry), ended_at } as EntryItem
    }
    case 'plan':
      return { ...common, type: 'plan', steps: entry.steps }
    case 'question':
      return { ...common, type: 'question', ...toQuestionFields(entry, names) }
    case 'decision': {
      const { type, operation, detail, decision } = entry
      return { ...common, type, operation, detail: detail === null ? null : escapeUnambiguously(detail), ...decision }
    }
    case 'end': {
      const { type, reason, message, model, usage } = entry
      return { ...common, type, outcome: reason, message, model, usage }
    }
    default:
      return entry satisfies never
  }
}

function toQuestionFields({ question, deadlineAt, answer }: Extract<Entry, { type: 'question' }>, names: MemberNames) {
  const answered = answer.state === 'answered' ? answer : undefined
  return {
    question_id: question.id,
    question: toQuestionArguments(question as Question),
    deadline_at: toIsoTime(deadlineAt),
    state: answer.state,
    end_reason: answer.state === 'ended' ? (answer.reason ?? null) : null,
    answer: answered?.answer ?? null,
    fields: answered?.fields ?? [],
    answered_by_user_id: answered?.by ?? null,
    answered_by_user_name: names.get(answered?.by ?? '') ?? null,
    answered_at: answered ? toIsoTime(answered.answeredAt) : null,
  }
}

/** Limits the time to valid dates, because a daemon can send any number. */
const toIsoTime = (at: number) => isoTime(Math.min(at, maxTimeMs))
