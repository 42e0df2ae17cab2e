import { z } from '#platform/json/schema.ts'
import { maxQuestionItems, permissionKinds, type Question } from '../contract/question.ts'
import { endReasons } from '../contract/run.ts'
import {
  type Activity,
  type Entry,
  type EntryPage,
  type Milestone,
  milestoneTypes,
  type SessionPage,
  type TranscriptEvent,
  toolStatuses,
} from '../contract/transcript.ts'
import { ReportedDecision, readAction } from '../rules/read-decisions.ts'
import { idPattern, replaceNul } from './stored-text.ts'

/** Limits above what any daemon sends. They bound the work for the answer of a compromised one. */
const limits = { text: 600_000, name: 2_000, items: maxQuestionItems }

const text = z.string().max(limits.text)
/** A text that is stored in a column. Postgres cannot store U+0000, which an error message of an agent can have. */
const storedText = text.overwrite(replaceNul)
const name = z.string().max(limits.name)
const storedName = name.overwrite(replaceNul)
const id = name.regex(idPattern)
const instant = z.number().nonnegative()
const count = z.int().nonnegative()
const list = <Item extends z.ZodType>(item: Item) => z.array(item).max(limits.items)

const SessionSummary = z.object({
  id,
  title: name,
  status: z.enum(['idle', 'running', 'waiting']),
  turns: count,
  createdAt: instant,
  updatedAt: instant,
  dropped: count,
})

const AskedPermission = z.object({
  id,
  kind: z.literal('permission'),
  operation: text.nullable(),
  detail: text.nullable(),
  options: list(z.enum(permissionKinds)),
  choices: list(z.object({ id: name, kind: z.enum(permissionKinds), name: text })).exactOptional(),
})
const Field = z.object({
  name: text,
  type: z.enum(['string', 'number', 'integer', 'boolean', 'array']),
  required: z.boolean(),
  options: list(text).exactOptional(),
})
const AskedForm = z.object({ id, kind: z.literal('elicitation'), message: text, fields: list(Field) })
const ReportedQuestion: z.ZodType<Question> = z.discriminatedUnion('kind', [AskedPermission, AskedForm])

const ReportedQuestionState = z.discriminatedUnion('state', [
  z.object({ state: z.literal('waiting') }),
  z.object({ state: z.literal('ended'), reason: z.literal('withdrawn').exactOptional() }),
  z.object({
    state: z.literal('answered'),
    answer: name,
    fields: list(text),
    by: name.nullable(),
    answeredAt: instant,
  }),
])

const Usage = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  cost: z.number().nonnegative().exactOptional(),
  prompt_tokens_details: z
    .object({ cached_tokens: count.exactOptional(), cache_write_tokens: count.exactOptional() })
    .exactOptional(),
  completion_tokens_details: z.object({ reasoning_tokens: count.exactOptional() }).exactOptional(),
})

const Budget = z.object({
  id: id.exactOptional(),
  costUsd: z.number().exactOptional(),
  costOf: z.enum(['max_cost_usd', 'session_max_cost_usd']).exactOptional(),
  sessionUsd: z.number().exactOptional(),
  seconds: z.number().exactOptional(),
})

const entryFields = { id: count, revision: count, runId: id, at: instant, updatedAt: instant }
const Changes = list(z.object({ path: text, diff: text }))
const Step = z.object({ text, status: text, priority: text.exactOptional() })

const toolCall = {
  type: z.literal('tool_call'),
  toolCallId: name,
  operation: name.nullable(),
  title: text.nullable(),
  status: z.enum(toolStatuses),
  input: text.nullable(),
  output: text.nullable(),
  paths: list(text),
  changes: Changes,
}
const plan = { type: z.literal('plan'), steps: list(Step) }
const ReportedActivity = z.discriminatedUnion('type', [z.object(toolCall), z.object(plan)])

/** Reads an activity of a daemon; undefined for an invalid one. */
export const readActivity = (value: unknown): Activity | undefined =>
  ReportedActivity.safeParse(value).data as Activity | undefined

const ReportedEntry = z.discriminatedUnion('type', [
  z.object({
    ...entryFields,
    type: z.literal('prompt'),
    text,
    mode: z.enum(['manual', 'self-drive']),
    by: storedName.nullable(),
    background: z.literal(true).exactOptional(),
    budget: Budget.exactOptional(),
  }),
  z.object({ ...entryFields, type: z.literal('message'), text }),
  z.object({ ...entryFields, type: z.literal('reasoning'), text }),
  z.object({ ...entryFields, ...toolCall, endedAt: instant.nullable() }),
  z.object({ ...entryFields, ...plan }),
  z.object({
    ...entryFields,
    type: z.literal('question'),
    question: ReportedQuestion,
    deadlineAt: instant,
    answer: ReportedQuestionState,
    // Without an invalid action, the question can be answered all the same.
    action: z.unknown().transform(readAction).optional(),
  }),
  z.object({
    ...entryFields,
    type: z.literal('decision'),
    operation: text.nullable(),
    detail: text.nullable(),
    decision: ReportedDecision,
  }),
  z.object({
    ...entryFields,
    type: z.literal('end'),
    reason: z.enum(endReasons),
    message: storedText.nullable(),
    model: storedName.nullable(),
    usage: Usage.nullable(),
    meteredSince: instant.exactOptional(),
  }),
])

export const SessionPageResponse: z.ZodType<SessionPage> = z.object({
  sessions: list(SessionSummary),
  hasMore: z.boolean(),
})
const KnownEntry: z.ZodType<Entry> = ReportedEntry
export const EntryPageResponse: z.ZodType<EntryPage> = z.object({
  session: SessionSummary,
  entries: list(KnownEntry),
  hasMore: z.boolean(),
})
const MilestoneEntry = KnownEntry.refine(({ type }) => (milestoneTypes as readonly string[]).includes(type))
export const MilestonesResponse = z.object({
  // `refine` does not narrow the type.
  milestones: list(z.object({ sessionId: id, entry: MilestoneEntry as unknown as z.ZodType<Milestone['entry']> })),
})
const ReportedTranscriptEvent: z.ZodType<TranscriptEvent> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('entry'), entry: KnownEntry }),
  z.object({
    type: z.literal('text'),
    id: count,
    runId: name,
    at: instant,
    kind: z.enum(['message', 'reasoning']),
    offset: count,
    text,
  }),
])

/** Reads a line of a daemon; undefined for an invalid event, which ends the stream. */
export function readTranscriptEvent(line: string): TranscriptEvent | undefined {
  try {
    return ReportedTranscriptEvent.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}
