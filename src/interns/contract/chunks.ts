import type { Chunk, ChunkChoice, StreamError } from '#chat/chunk.ts'
import type { Usage } from '#chat/usage.ts'
import { printableExactly } from '#platform/text/printable.ts'
import { type ActivityItem, toActivityItem } from './activity-item.ts'
import type { Question } from './question.ts'
import type { BudgetPart } from './turn-budget.ts'
import type { FailureReason, TurnEvent } from './turn-event.ts'

/** A chunk of an intern's reply. The last chunk has no choices, but the id of the session. */
export type InternChunk = Chunk & { session_id?: string | null; activity?: ActivityItem }

/** Names that depend on the setting `dialect`: the tool that asks questions, and the model if the intern reported none. */
export type ChunkNames = { inputTool: string; fallbackModel: string }

type FailureDetails = { usage?: Usage | null; budget?: BudgetPart | undefined }

/** The status that a failure would have had before the stream opened. */
const failureCodes: Record<FailureReason, number> = { turn_failed: 502, stream_severed: 502, busy: 503 }

type Started = Extract<TurnEvent, { type: 'turn.started' }>

/**
 * Converts the events of a turn to chunks, in the order of every reply: a role chunk, content and reasoning, a finish chunk, a
 * final chunk.
 */
export function createChunkWriter(started: Started, names: ChunkNames, createdSeconds: number) {
  const model = started.model ?? names.fallbackModel
  const chunk = (choices: ChunkChoice[], more: Partial<InternChunk> = {}): InternChunk => ({
    id: `chatcmpl-${started.runId}`,
    object: 'chat.completion.chunk',
    created: createdSeconds,
    model,
    choices,
    ...more,
  })
  const deltaChunk = (delta: ChunkChoice['delta']) => chunk([{ index: 0, delta, finish_reason: null }])
  const finishChunk = (reason: ChunkChoice['finish_reason'], error?: StreamError) =>
    chunk([{ index: 0, delta: {}, finish_reason: reason }], error && { error })
  const finalChunk = (usage: Usage | null, reportedModel: string | null = null) =>
    chunk([], { session_id: started.sessionId, usage, ...(reportedModel !== null && { model: reportedModel }) })
  const errorChunks = (
    code: number,
    message: string,
    { reason, retryable }: { reason: string; retryable: boolean },
    details: FailureDetails = {},
  ) => [
    finishChunk('error', {
      code,
      message,
      metadata: { reason, retryable, ...(details.budget && { budget: details.budget }) },
    }),
    finalChunk(details.usage ?? null),
  ]

  return {
    /** The first chunk of the reply. */
    roleChunk: () => deltaChunk({ role: 'assistant', content: '' }),
    chunksOf(event: TurnEvent): InternChunk[] {
      switch (event.type) {
        case 'turn.started':
        case 'work.noticed':
        case 'decision.made':
          return []
        case 'activity.noticed':
          return [{ ...deltaChunk({}), activity: toActivityItem(event.activity) }]
        case 'text.added':
          return [deltaChunk({ content: event.text })]
        case 'reasoning.added':
          return [deltaChunk({ reasoning: event.text })]
        case 'question.asked':
          return [
            deltaChunk({ tool_calls: [questionToolCall(event.question, names)] }),
            finishChunk('tool_calls'),
            finalChunk(null),
          ]
        case 'turn.finished':
          return [finishChunk('stop'), finalChunk(event.usage, event.model)]
        case 'turn.failed':
          return errorChunks(failureCodes[event.reason], event.message, event, { usage: event.usage })
        case 'run.ended':
          return errorChunks(410, event.message, { reason: 'run_ended', retryable: false }, event)
        default:
          // A compromised daemon can send anything. Unknown events are dropped.
          event satisfies never
          return []
      }
    },
    /** The end of a reply whose caller lost access. */
    accessLostChunks: (code: number, message: string) =>
      errorChunks(code, message, { reason: 'run_ended', retryable: false }),
    /** The end of a reply after too long without output. */
    timeoutChunks: (message: string) => errorChunks(504, message, { reason: 'timeout', retryable: true }),
  }
}

function questionToolCall(question: Question, names: ChunkNames) {
  const call = { name: names.inputTool, arguments: JSON.stringify(questionArguments(question)) }
  return { index: 0, id: question.id, type: 'function' as const, function: call }
}

/**
 * The arguments of the tool call that asks the caller. `detail` is present if it contains more than the operation's name.
 * Characters that change how a text is displayed are escaped, for pages and terminals.
 */
export function questionArguments(question: Question) {
  if (question.kind === 'elicitation') {
    const { kind, message, fields } = question
    return { kind, message, fields }
  }
  const { kind, operation, options, detail, choices } = question
  const printableOperation = operation === null ? null : printableExactly(operation)
  return {
    kind,
    operation: printableOperation,
    options,
    ...(choices && { choices: choices.map(({ id, kind, name }) => ({ id, kind, name: printableExactly(name) })) }),
    ...(detail !== null && { detail: printableExactly(detail) }),
  }
}
