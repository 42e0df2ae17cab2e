import type { FinishReason } from '#chat/chunk.ts'
import type { AnswerEvent, Citation } from '#chat/events.ts'
import type { ThoughtMetadata } from '#chat/thoughts.ts'
import { ownValue } from '#platform/core/own-value.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import { argumentsText, type UpstreamEvent } from '../../../protocol/tool-calls/piece.ts'
import type { WithBedrockMetrics } from '../../bedrock-metrics.ts'
import { defaultErrorMessage, errorWithoutAnswer } from '../../errors/error-event.ts'
import { readErrorMessage } from '../../errors/error-message.ts'
import { readErrorMetadata } from '../../errors/error-metadata.ts'
import { readErrorStatus } from '../../errors/error-status.ts'
import { type AnthropicCitation, toCitations } from './anthropic-citations.ts'
import { readUsage, StreamUsage, type Usage } from './anthropic-usage.ts'

type Block =
  | { type: 'text'; text: string; citations?: AnthropicCitation[] | null }
  | { type: 'thinking'; thinking: string; signature?: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }
  | { type: 'server_tool_use'; name: string }
type Delta = {
  type?: string
  text?: string
  thinking?: string
  signature?: string
  partial_json?: unknown
  citation?: AnthropicCitation
  stop_reason?: string | null
}
type Message = { id?: string; model?: string; usage?: Usage; content?: Block[]; stop_reason?: string | null }
type Event = {
  type: string
  index?: number
  message?: Message
  content_block?: Block
  delta?: Delta
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
export function anthropicReader(): (event: SseEvent) => UpstreamEvent[] {
  const blocks = new Blocks()
  const usage = new StreamUsage()
  let isFinished = false
  /** Content in the first event, where some servers have all of it. It is read at the end, unless blocks follow. */
  let firstContent: Block[] = []
  const takeFirstContent = () => {
    const events = readBlocks(blocks, firstContent)
    firstContent = []
    return events
  }

  return ({ data }) => {
    const event = JSON.parse(data) as Event
    switch (event.type) {
      case 'message_start':
        usage.start(event.message?.usage)
        firstContent = event.message?.content ?? []
        return [startedEvent(event.message)]
      case 'content_block_start':
        firstContent = []
        return event.content_block ? blocks.start(event.index, event.content_block) : []
      case 'content_block_delta':
        return event.delta ? blocks.add(event.index, event.delta) : []
      case 'content_block_stop':
        return blocks.end(event.index)
      case 'message_delta':
        isFinished ||= Boolean(event.delta?.stop_reason)
        if (!event.delta?.stop_reason) return usage.add(event.usage)
        return [
          ...takeFirstContent(),
          ...blocks.closeCalls(),
          finishEvent(event.delta.stop_reason),
          ...usage.add(event.usage),
        ]
      case 'message_stop':
        // Some servers send the usage only here.
        return [...takeFirstContent(), ...(isFinished ? [] : [endWithoutReason]), ...usage.addLast(event)]
      case 'error':
        return [errorEvent(event.error)]
      default:
        return event.error ? [errorEvent(event.error)] : []
    }
  }
}

/** The end of a message whose server sends no `stop_reason`. */
const endWithoutReason: AnswerEvent = { type: 'finish', reason: 'stop', native: undefined }

/** Reads a whole message. */
export function readAnthropicMessage(body: unknown): UpstreamEvent[] {
  const message = body as Message & { error?: UpstreamError }
  if (message.error) return [errorEvent(message.error)]
  // A refusal can have no content.
  const content = message.content ?? (message.stop_reason === 'refusal' ? [] : undefined)
  if (!Array.isArray(content)) return [errorWithoutAnswer(body, 'the answer has no content')]
  return [
    startedEvent(message),
    ...readBlocks(new Blocks(), content),
    finishEvent(message.stop_reason ?? 'end_turn'),
    ...readUsage(message.usage ?? {}),
  ]
}

function readBlocks(blocks: Blocks, content: readonly Block[]): UpstreamEvent[] {
  return [...content.entries()].flatMap(([at, block]) => [...blocks.start(at, block), ...blocks.end(at)])
}

/**
 * Reads the blocks of one message. Citations of a block follow at its end, when the cited text is complete.
 */
class Blocks {
  /** The indexes of blocks that are not calls of client tools, such as the calls of tools that the provider runs. */
  readonly #otherBlocks = new Set<number | undefined>()
  readonly #openCalls = new Set<number | undefined>()
  #citations: Citation[] = []
  #textLength = 0
  #blockStart = 0

  start(at: number | undefined, block: Block): UpstreamEvent[] {
    this.#blockStart = this.#textLength
    this.#citations = block.type === 'text' ? (block.citations ?? []).flatMap(toCitations) : []
    if (block.type === 'tool_use') {
      this.#otherBlocks.delete(at)
      this.#openCalls.add(at)
    } else this.#otherBlocks.add(at)
    return this.#track(readBlockStart(block, at))
  }

  add(at: number | undefined, delta: Delta): UpstreamEvent[] {
    if (delta.citation) this.#citations.push(...toCitations(delta.citation))
    if (delta.partial_json === undefined) return this.#track(readDelta(delta))
    // Input of a provider tool is not a call of a client tool.
    return this.#otherBlocks.has(at)
      ? []
      : [{ type: 'call_piece', upstreamIndex: at, text: argumentsText(delta.partial_json) }]
  }

  end(at: number | undefined): UpstreamEvent[] {
    const start = this.#blockStart
    const end = this.#textLength
    const events = this.#citations.map((citation): UpstreamEvent => ({ type: 'citation', ...citation, start, end }))
    this.#citations = []
    this.#openCalls.delete(at)
    return this.#otherBlocks.has(at) ? events : [...events, { type: 'call_piece', upstreamIndex: at, isClosed: true }]
  }

  /** Closes the calls whose end the server omitted. No arguments follow the stop reason. */
  closeCalls(): UpstreamEvent[] {
    const pieces = [...this.#openCalls].map(
      (upstreamIndex): UpstreamEvent => ({ type: 'call_piece', upstreamIndex, isClosed: true }),
    )
    this.#openCalls.clear()
    return pieces
  }

  #track(events: UpstreamEvent[]): UpstreamEvent[] {
    for (const event of events) if (event.type === 'text') this.#textLength += event.text.length
    return events
  }
}

function startedEvent(message: Message | undefined): AnswerEvent {
  return { type: 'started', id: message?.id ?? '', model: message?.model ?? '' }
}

/** The events at the start of a block. In a stream most blocks start empty. */
function readBlockStart(block: Block, at: number | undefined): UpstreamEvent[] {
  switch (block.type) {
    case 'text':
      return block.text ? [{ type: 'text', text: block.text }] : []
    case 'thinking':
      return block.thinking || block.signature
        ? [thoughtEvent(block.thinking ?? '', { signature: block.signature })]
        : []
    case 'redacted_thinking':
      return [thoughtEvent('', { encrypted: block.data })]
    case 'tool_use':
      return [{ type: 'call_piece', upstreamIndex: at, id: block.id, name: block.name, whole: readInput(block.input) }]
    case 'server_tool_use':
      return countedTools.has(block.name) ? [{ type: 'billed_piece', unit: block.name }] : []
    default:
      return []
  }
}

/** Anthropic's tools that are billed by call. */
const countedTools: ReadonlySet<string> = new Set(['web_search', 'web_fetch'])

/** The input of a call at its start. Streams send it later, but some servers send all of it here, or as JSON text. */
function readInput(input: unknown): string | undefined {
  if (typeof input === 'string') return input || undefined
  const isEmpty = typeof input !== 'object' || input === null || Object.keys(input).length === 0
  return isEmpty ? undefined : JSON.stringify(input)
}

function readDelta(delta: Delta): AnswerEvent[] {
  if (delta.text) return [{ type: 'text', text: delta.text }]
  if (delta.thinking) return [thoughtEvent(delta.thinking)]
  if (delta.signature) return [thoughtEvent('', { signature: delta.signature })]
  return []
}

function thoughtEvent(
  text: string,
  { signature, encrypted }: Pick<ThoughtMetadata, 'signature' | 'encrypted'> = {},
): AnswerEvent {
  const proof = { ...(signature !== undefined && { signature }), ...(encrypted !== undefined && { encrypted }) }
  return { type: 'reasoning', text, format: 'anthropic-claude-v1', ...proof }
}

/** An answer with an unknown reason counts as truncated, and never as a success. */
function finishEvent(native: string): AnswerEvent {
  return { type: 'finish', reason: ownValue(finishReasons, native) ?? 'length', native }
}

function errorEvent(error: UpstreamError | undefined): AnswerEvent {
  // 529 is Anthropic's status for overload. Its SDKs retry by it.
  const status = error?.type === 'overloaded_error' ? 529 : readErrorStatus(error)
  return { type: 'error', message: readErrorMessage(error) ?? defaultErrorMessage, status, ...readErrorMetadata(error) }
}
