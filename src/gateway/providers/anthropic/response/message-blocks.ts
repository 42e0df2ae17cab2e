import type { Citation, CompletionEvent } from '#chat/events.ts'
import type { ThoughtMetadata } from '#chat/thoughts.ts'
import { argumentsText, type UpstreamEvent } from '../../../protocol/tool-calls/fragment.ts'
import { type AnthropicCitation, toCitations } from './anthropic-citations.ts'

export type Block =
  | { type: 'text'; text: string; citations?: AnthropicCitation[] | null }
  | { type: 'thinking'; thinking: string; signature?: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }
  | { type: 'server_tool_use'; name: string }
export type Delta = {
  type?: string
  text?: string
  thinking?: string
  signature?: string
  partial_json?: unknown
  citation?: AnthropicCitation
  stop_reason?: string | null
}
/**
 * Reads the blocks of one message. Citations of a block follow at its end, when the cited text is complete.
 */
export class MessageBlocks {
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
      : [{ type: 'call_fragment', upstreamIndex: at, text: argumentsText(delta.partial_json) }]
  }

  end(at: number | undefined): UpstreamEvent[] {
    const start = this.#blockStart
    const end = this.#textLength
    const events = this.#citations.map((citation): UpstreamEvent => ({ type: 'citation', ...citation, start, end }))
    this.#citations = []
    this.#openCalls.delete(at)
    return this.#otherBlocks.has(at)
      ? events
      : [...events, { type: 'call_fragment', upstreamIndex: at, isClosed: true }]
  }

  /** Closes the calls whose end the server omitted. No arguments follow the stop reason. */
  closeCalls(): UpstreamEvent[] {
    const fragments = [...this.#openCalls].map(
      (upstreamIndex): UpstreamEvent => ({ type: 'call_fragment', upstreamIndex, isClosed: true }),
    )
    this.#openCalls.clear()
    return fragments
  }

  /** Reads blocks that are complete. */
  readAll(content: readonly Block[]): UpstreamEvent[] {
    return [...content.entries()].flatMap(([at, block]) => [...this.start(at, block), ...this.end(at)])
  }

  #track(events: UpstreamEvent[]): UpstreamEvent[] {
    for (const event of events) if (event.type === 'text') this.#textLength += event.text.length
    return events
  }
}

/** The events at the start of a block. In a stream most blocks start empty. */
function readBlockStart(block: Block, at: number | undefined): UpstreamEvent[] {
  switch (block.type) {
    case 'text':
      return block.text ? [{ type: 'text', text: block.text }] : []
    case 'thinking':
      return block.thinking || block.signature
        ? [thoughtEvent(block.thinking ?? '', { signature: block.signature || undefined })]
        : []
    case 'redacted_thinking':
      return [thoughtEvent('', { encrypted: block.data })]
    case 'tool_use':
      return [
        {
          type: 'call_fragment',
          upstreamIndex: at,
          id: block.id,
          name: block.name,
          wholeArguments: readInput(block.input),
        },
      ]
    case 'server_tool_use':
      return countedTools.has(block.name) ? [{ type: 'billed_piece', unit: block.name }] : []
    default:
      return []
  }
}

/** Anthropic's tools that are billed by call. */
const countedTools: ReadonlySet<string> = new Set(['web_search', 'web_fetch'])

/** The input of a call at its start. Streams send the input later, but some servers send all of it at the start, or as JSON text. */
function readInput(input: unknown): string | undefined {
  if (typeof input === 'string') return input || undefined
  const isEmpty = typeof input !== 'object' || input === null || Object.keys(input).length === 0
  return isEmpty ? undefined : JSON.stringify(input)
}

function readDelta(delta: Delta): CompletionEvent[] {
  if (delta.text) return [{ type: 'text', text: delta.text }]
  if (delta.thinking) return [thoughtEvent(delta.thinking)]
  if (delta.signature) return [thoughtEvent('', { signature: delta.signature })]
  return []
}

function thoughtEvent(
  text: string,
  { signature, encrypted }: Pick<ThoughtMetadata, 'signature' | 'encrypted'> = {},
): CompletionEvent {
  const signatureFields = {
    ...(signature !== undefined && { signature }),
    ...(encrypted !== undefined && { encrypted }),
  }
  return { type: 'reasoning', text, format: 'anthropic-claude-v1', ...signatureFields }
}
