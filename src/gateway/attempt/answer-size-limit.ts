import type { AnswerEvent } from '#chat/events.ts'
import { endsThought } from '#chat/thoughts.ts'

/** The longest answer that is held: of bytes as they are once unpacked, whichever way they came. */
const maxAnswerBytes = 64 * 1024 * 1024

/** What a piece of text counts for besides its letters. A text that came in many pieces is held as a chain of them. */
const pieceBytes = 32
/** The same for a tool call, a thought, a source or an image: for the objects that hold it. */
const itemBytes = 1024

/** Counts what is held of one answer, so that an upstream that never ends does not fill the memory. */
export class AnswerBound {
  #held = 0

  /** @throws Error when it is too much. */
  take(bytes: number): void {
    this.#held += bytes
    if (this.#held > maxAnswerBytes) throw new Error(`it is over ${maxAnswerBytes} bytes`)
  }

  /** The same for a piece of text in a stream. */
  takePiece(bytes: number): void {
    this.take(bytes + pieceBytes)
  }

  /**
   * Counts what one event of a stream says: some protocols repeat it as a whole at the end. One that says nothing counts
   * with its bytes, as readers may remember something of it.
   */
  takeEvent(raw: Buffer, events: AnswerEvent[]): void {
    if (events.length === 0) this.take(raw.length)
    else this.takeEvents(events)
  }

  takeEvents(events: AnswerEvent[]): void {
    for (const event of events) this.take(weightOf(event))
  }
}

const items: ReadonlySet<AnswerEvent['type']> = new Set(['tool_call', 'citation', 'image'])

function weightOf(event: AnswerEvent): number {
  const isItem = items.has(event.type) || (event.type === 'reasoning' && endsThought(event))
  let weight = isItem ? itemBytes : pieceBytes
  for (const name in event) if (name !== 'type') weight += lengthOf(event[name as keyof AnswerEvent])
  return weight
}

/** Upstreams put what they like where a text belongs. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  return typeof value === 'object' && value !== null ? JSON.stringify(value).length : 0
}
