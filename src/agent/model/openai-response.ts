import type { Finish, ModelEvent, Usage } from './model.ts'
import { type CallDelta, PartialCalls } from './partial-calls.ts'

/** The fields of a streamed chunk that are read. Providers can omit any of them. */
export type Chunk = {
  model?: string
  choices?: { delta?: Delta; finish_reason?: string | null }[]
  usage?: {
    prompt_tokens?: number
    completion_tokens?: number
    cost?: number
    prompt_tokens_details?: { cached_tokens?: number } | null
    completion_tokens_details?: { reasoning_tokens?: number } | null
  } | null
  error?: { code?: unknown; message?: string } | string
}
/** `reasoning` and `reasoning_details` come from OpenRouter and Signalbox, `reasoning_content` from DeepSeek, vLLM and others. */
type Delta = {
  content?: string | null
  reasoning?: string | null
  reasoning_content?: string | null
  reasoning_details?: unknown[]
  refusal?: string | null
  tool_calls?: CallDelta[]
}

/** Assembles a response from its chunks. */
export class ResponseAssembler {
  readonly #calls: PartialCalls
  readonly #details: unknown[] = []
  #text = ''
  #reasoning = ''
  #finishReason: string | undefined
  #usage: Usage | undefined
  #model: string | undefined

  constructor(newId: () => string) {
    this.#calls = new PartialCalls(newId)
  }

  get hasFinishReason(): boolean {
    return this.#finishReason !== undefined
  }

  get hasUsage(): boolean {
    return this.#usage !== undefined
  }

  /** Adds a chunk. Yields the events that result from it. */
  *add(chunk: Chunk): Generator<ModelEvent> {
    this.#model = chunk.model || this.#model
    this.#usage = readUsage(chunk) ?? this.#usage
    for (const { delta, finish_reason } of chunk.choices ?? []) {
      this.#finishReason = finish_reason ?? this.#finishReason
      const thought = delta?.reasoning ?? delta?.reasoning_content
      if (thought) {
        this.#reasoning += thought
        yield { type: 'reasoning.added', text: thought }
      }
      const addedText = delta?.content || delta?.refusal
      if (addedText) {
        this.#text += addedText
        yield { type: 'text.added', text: addedText }
      }
      for (const detail of delta?.reasoning_details ?? []) addDetail(this.#details, detail)
      this.#calls.add(delta?.tool_calls ?? [])
    }
  }

  /** Returns the last event. @param meteredUsage the usage of a response that reported none. */
  complete(meteredUsage?: Usage): ModelEvent {
    const calls = this.#calls.complete()
    const usage = this.#usage ?? meteredUsage
    return {
      type: 'message.completed',
      message: {
        role: 'assistant',
        text: this.#text,
        ...(this.#reasoning ? { reasoning: this.#reasoning } : {}),
        ...(calls.length ? { calls } : {}),
        ...(this.#details.length ? { details: this.#details } : {}),
      },
      finish: toFinish(this.#finishReason, calls.length > 0),
      ...(usage ? { usage } : {}),
      ...(this.#model ? { model: this.#model } : {}),
    }
  }
}

type Detail = { type?: string; text?: string; signature?: string | null } & Record<string, unknown>

/**
 * Adds a detail, or joins it with the previous detail if both are pieces of one text. The last piece of a text has its
 * signature.
 */
function addDetail(details: unknown[], detail: unknown): void {
  const last = details.at(-1)
  if (
    !isReasoningText(last) ||
    !isReasoningText(detail) ||
    last.signature ||
    last.id !== detail.id ||
    last.format !== detail.format
  )
    details.push(detail)
  else details[details.length - 1] = { ...last, ...detail, text: last.text + detail.text }
}

function isReasoningText(detail: unknown): detail is Detail & { text: string } {
  const { type, text } = (detail ?? {}) as Detail
  return type === 'reasoning.text' && typeof text === 'string'
}

function toFinish(reason: string | undefined, hasCalls: boolean): Finish {
  // Checked before the calls, because the last call can be incomplete then.
  if (reason === 'length') return 'length'
  if (hasCalls) return 'tool_calls'
  return reason === 'content_filter' ? 'refusal' : 'stop'
}

function readUsage({ usage }: Chunk): Usage | undefined {
  if (!usage) return undefined
  const cachedTokens = usage.prompt_tokens_details?.cached_tokens
  const reasoningTokens = usage.completion_tokens_details?.reasoning_tokens
  return {
    promptTokens: usage.prompt_tokens ?? 0,
    completionTokens: usage.completion_tokens ?? 0,
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    ...(typeof usage.cost === 'number' ? { costUsd: usage.cost } : {}),
  }
}
