import type { CompletionEvent } from '#chat/events.ts'
import { isThoughtEnd } from '#chat/thoughts.ts'

/** The maximum size of a response in memory, after decompression. */
const maxResponseBytes = 64 * 1024 * 1024

/** Bytes that a piece of text needs in addition to its characters. V8 stores concatenated pieces as a chain. */
const pieceBytes = 32
/** Bytes that a tool call, a reasoning block, a source, an image or speech needs in addition to its characters. */
const itemBytes = 1024
/** Bytes that the token counts of a response need. */
const usageBytes = 128

/** Limits the memory for one response, so that an endless response does not fill the memory. */
export class ResponseSizeLimit {
  #bytes = 0

  /** Adds bytes. @throws Error if the response is too large. */
  addBytes(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > maxResponseBytes) throw new Error(`it is over ${maxResponseBytes} bytes`)
  }

  /** Adds a piece of text of a stream. @throws Error if the response is too large. */
  addPiece(bytes: number): void {
    this.addBytes(bytes + pieceBytes)
  }

  /** Adds the content of a stream event. An event without content counts with its bytes: readers may store part of it. */
  addEvent(raw: Buffer, events: CompletionEvent[]): void {
    if (events.length === 0) this.addBytes(raw.length)
    else this.addEvents(events)
  }

  /** Adds the content of events. @throws Error if the response is too large. */
  addEvents(events: CompletionEvent[]): void {
    for (const event of events) this.addBytes(estimateSize(event))
  }
}

const itemTypes: ReadonlySet<CompletionEvent['type']> = new Set(['tool_call', 'citation', 'image', 'audio'])

function estimateSize(event: CompletionEvent): number {
  if (event.type === 'usage') return usageBytes + measureLength(event.extras)
  const isItem = itemTypes.has(event.type) || (event.type === 'reasoning' && isThoughtEnd(event))
  let size = isItem ? itemBytes : pieceBytes
  for (const name in event) if (name !== 'type') size += measureLength(event[name as keyof CompletionEvent])
  return size
}

/** Upstreams do not always send text where their protocol requires it. */
function measureLength(value: unknown): number {
  if (typeof value === 'string') return value.length
  return typeof value === 'object' && value !== null ? JSON.stringify(value).length : 0
}
