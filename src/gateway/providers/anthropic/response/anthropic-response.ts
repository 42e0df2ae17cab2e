import type { FinishReason } from '#chat/chunk.ts'
import type { CompletionEvent } from '#chat/events.ts'
import { parseWithExactArguments } from '#chat/fields/arguments-fields.ts'
import { ownValue } from '#platform/core/own-value.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import type { UpstreamEvent } from '../../../protocol/tool-calls/fragment.ts'
import type { WithBedrockMetrics } from '../../bedrock-metrics.ts'
import { defaultErrorMessage, errorWithoutResponse } from '../../errors/error-event.ts'
import { readErrorMessage } from '../../errors/error-message.ts'
import { readErrorMetadata } from '../../errors/error-metadata.ts'
import { readErrorStatus } from '../../errors/error-status.ts'
import { readUsage, StreamUsage, type Usage } from './anthropic-usage.ts'
import { type Block, type Delta, MessageBlocks } from './message-blocks.ts'

type Ending = { stop_reason?: string | null; stop_details?: { explanation?: unknown } | null }
type Message = { id?: string; model?: string; usage?: Usage; content?: Block[] } & Ending
type Event = {
  type: string
  index?: number
  message?: Message
  content_block?: Block
  delta?: Delta & Ending
  usage?: Usage
  error?: UpstreamError
} & WithBedrockMetrics
type UpstreamError = { type?: string; message?: string }

const finishReasons: Record<string, Exclude<FinishReason, 'error'>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  // The provider paused a long turn: the client has to continue it.
  pause_turn: 'length',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

/** Reads one streamed message. */
export function createAnthropicReader(): (event: SseEvent) => UpstreamEvent[] {
  const stream = new MessageStream()
  return ({ data }) => stream.read(parseWithExactArguments(data) as Event)
}

class MessageStream {
  readonly #blocks = new MessageBlocks()
  readonly #usage = new StreamUsage()
  #isFinished = false
  /** Content in the first event, where some servers have all of it. It is read at the end, unless blocks follow. */
  #firstContent: readonly Block[] = []

  read(event: Event): UpstreamEvent[] {
    switch (event.type) {
      case 'message_start':
        this.#usage.start(event.message?.usage)
        this.#firstContent = event.message?.content ?? []
        return [startedEvent(event.message)]
      case 'content_block_start':
        this.#firstContent = []
        return event.content_block ? this.#blocks.start(event.index, event.content_block) : []
      case 'content_block_delta':
        return event.delta ? this.#blocks.add(event.index, event.delta) : []
      case 'content_block_stop':
        return this.#blocks.end(event.index)
      case 'message_delta':
        return [...this.#readEnding(event.delta), ...this.#usage.add(event.usage)]
      case 'message_stop':
        // Some servers send the usage only in this event.
        return [
          ...this.#takeFirstContent(),
          ...(this.#isFinished ? [] : [endWithoutReason]),
          ...this.#usage.addLast(event),
        ]
      case 'error':
        return [errorEvent(event.error)]
      default:
        return event.error ? [errorEvent(event.error)] : []
    }
  }

  #readEnding(ending: Ending | undefined): UpstreamEvent[] {
    if (!ending?.stop_reason) return []
    this.#isFinished = true
    return [...this.#takeFirstContent(), ...this.#blocks.closeCalls(), ...endEvents(ending)]
  }

  #takeFirstContent(): UpstreamEvent[] {
    const events = this.#blocks.readAll(this.#firstContent)
    this.#firstContent = []
    return events
  }
}

/** The end of a message whose server sends no `stop_reason`. */
const endWithoutReason: CompletionEvent = { type: 'finish', reason: 'stop', native: undefined }

/** Reads a whole message. */
export function readAnthropicMessage(body: unknown): UpstreamEvent[] {
  const message = body as Message & { error?: UpstreamError }
  if (message.error) return [errorEvent(message.error)]
  // A refusal can have no content.
  const content = message.content ?? (message.stop_reason === 'refusal' ? [] : undefined)
  if (!Array.isArray(content)) return [errorWithoutResponse(body, 'the response has no content')]
  return [
    startedEvent(message),
    ...new MessageBlocks().readAll(content),
    ...endEvents(message),
    ...readUsage(message.usage ?? {}),
  ]
}

function startedEvent(message: Message | undefined): CompletionEvent {
  return { type: 'started', id: message?.id ?? '', model: message?.model ?? '' }
}

/** The end, after the explanation of a refusal. A response with an unknown reason counts as truncated, and never as a success. */
function endEvents({ stop_reason: reason, stop_details: details }: Ending): CompletionEvent[] {
  const native = reason ?? 'end_turn'
  const finish: CompletionEvent = { type: 'finish', reason: ownValue(finishReasons, native) ?? 'length', native }
  const text = native === 'refusal' ? details?.explanation : undefined
  return typeof text === 'string' && text !== '' ? [{ type: 'refusal', text, isFree: true }, finish] : [finish]
}

function errorEvent(error: UpstreamError | undefined): CompletionEvent {
  // 529 is Anthropic's status for overload. Its SDKs retry by it.
  const status = error?.type === 'overloaded_error' ? 529 : readErrorStatus(error)
  return { type: 'error', message: readErrorMessage(error) ?? defaultErrorMessage, status, ...readErrorMetadata(error) }
}
