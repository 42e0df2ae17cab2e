import type { Chunk, ChunkChoice, StreamError } from '#chat/chunk.ts'
import type { Usage } from '#chat/usage.ts'
import { escapeUnambiguously } from '#platform/text/printable.ts'
import { type ActivityItem, toActivityItem } from './activity-item.ts'
import type { Question } from './question.ts'
import type { BudgetLimitName } from './turn-budget.ts'
import type { FailureReason, TurnEvent } from './turn-event.ts'

/** A chunk of an intern's reply. The last chunk has no choices, but the id of the session. */
export type InternChunk = Chunk & { session_id?: string | null; activity?: ActivityItem }

/** Names that depend on the setting `dialect`: the tool that asks questions, and the model if the intern reported none. */
export type ChunkNames = { inputTool: string; fallbackModel: string }

type FailureDetails = { usage?: Usage | null; budget?: BudgetLimitName | undefined }

/** The status that a failure would have had before the stream opened. */
const failureCodes: Record<FailureReason, number> = { turn_failed: 502, stream_severed: 502, busy: 503 }

type StartedEvent = Extract<TurnEvent, { type: 'turn.started' }>

/**
 * Converts the events of a turn to chunks, in the order of every reply: a role chunk, content and reasoning, a finish chunk, a
 * final chunk.
 */
export class ChunkWriter {
  readonly #started: StartedEvent
  readonly #names: ChunkNames
  readonly #createdSeconds: number

  /** @param createdSeconds the time of the reply, in seconds since the epoch. */
  constructor(started: StartedEvent, names: ChunkNames, createdSeconds: number) {
    this.#started = started
    this.#names = names
    this.#createdSeconds = createdSeconds
  }

  /** The first chunk of the reply. */
  roleChunk(): InternChunk {
    return this.#deltaChunk({ role: 'assistant', content: '' })
  }

  chunksOf(event: TurnEvent): InternChunk[] {
    switch (event.type) {
      case 'turn.started':
      case 'work.noticed':
      case 'decision.made':
        return []
      case 'activity.noticed':
        return [{ ...this.#deltaChunk({}), activity: toActivityItem(event.activity) }]
      case 'text.added':
        return [this.#deltaChunk({ content: event.text })]
      case 'reasoning.added':
        return [this.#deltaChunk({ reasoning: event.text })]
      case 'question.asked':
        return [
          this.#deltaChunk({ tool_calls: [toQuestionToolCall(event.question, this.#names)] }),
          this.#finishChunk('tool_calls'),
          this.#finalChunk(null),
        ]
      case 'turn.finished':
        return [this.#finishChunk('stop'), this.#finalChunk(event.usage, event.model)]
      case 'turn.failed':
        return this.#errorChunks(failureCodes[event.reason], event.message, event, { usage: event.usage })
      case 'run.ended':
        return this.#errorChunks(410, event.message, { reason: 'run_ended', retryable: false }, event)
      default:
        // A compromised daemon can send anything. Unknown events are dropped.
        event satisfies never
        return []
    }
  }

  /** The end of a reply whose caller lost access. */
  accessLostChunks(code: number, message: string): InternChunk[] {
    return this.#errorChunks(code, message, { reason: 'run_ended', retryable: false })
  }

  /** The end of a reply after too long without output. */
  timeoutChunks(message: string): InternChunk[] {
    return this.#errorChunks(504, message, { reason: 'timeout', retryable: true })
  }

  #errorChunks(
    code: number,
    message: string,
    { reason, retryable }: { reason: string; retryable: boolean },
    { usage = null, budget }: FailureDetails = {},
  ): InternChunk[] {
    const metadata = { reason, retryable, ...(budget && { budget }) }
    return [this.#finishChunk('error', { code, message, metadata }), this.#finalChunk(usage)]
  }

  #deltaChunk(delta: ChunkChoice['delta']): InternChunk {
    return this.#chunk([{ index: 0, delta, finish_reason: null }])
  }

  #finishChunk(reason: ChunkChoice['finish_reason'], error?: StreamError): InternChunk {
    return this.#chunk([{ index: 0, delta: {}, finish_reason: reason }], error && { error })
  }

  #finalChunk(usage: Usage | null, reportedModel: string | null = null): InternChunk {
    const model = reportedModel === null ? {} : { model: reportedModel }
    return this.#chunk([], { session_id: this.#started.sessionId, usage, ...model })
  }

  #chunk(choices: ChunkChoice[], more: Partial<InternChunk> = {}): InternChunk {
    return {
      id: `chatcmpl-${this.#started.runId}`,
      object: 'chat.completion.chunk',
      created: this.#createdSeconds,
      model: this.#started.model ?? this.#names.fallbackModel,
      choices,
      ...more,
    }
  }
}

function toQuestionToolCall(question: Question, names: ChunkNames) {
  const call = { name: names.inputTool, arguments: JSON.stringify(toQuestionArguments(question)) }
  return { index: 0, id: question.id, type: 'function' as const, function: call }
}

/**
 * The arguments of the tool call that asks the caller. `detail` is present if it contains more than the operation's name.
 * Characters that change how a text is displayed are escaped, for pages and terminals.
 */
export function toQuestionArguments(question: Question) {
  if (question.kind === 'elicitation') {
    const { kind, message, fields } = question
    return { kind, message, fields }
  }
  const { kind, operation, options, detail, choices } = question
  const printableOperation = operation === null ? null : escapeUnambiguously(operation)
  return {
    kind,
    operation: printableOperation,
    options,
    ...(choices && { choices: choices.map(({ id, kind, name }) => ({ id, kind, name: escapeUnambiguously(name) })) }),
    ...(detail !== null && { detail: escapeUnambiguously(detail) }),
  }
}
