import type { CompletionEvent } from '#chat/events.ts'
import type { ToolCallText } from './content.ts'

/** The key of a tool call. Its index is unique only within its choice. */
const callKey = ({ choice = 0, index }: { choice?: number; index: number }) => `${choice}:${index}`

type Call = { id: string; name: string; pieces: string[] }

/**
 * Collects the content of a response up to a limit. Pieces are joined at the end. The fields of events are checked, because
 * providers can send other types than their protocol declares.
 */
export class ResponseContentCollector {
  readonly #maxCharacters: number
  #characters = 0
  readonly #text: string[] = []
  readonly #reasoning: string[] = []
  readonly #calls = new Map<string, Call>()

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters
  }

  addEvents(events: readonly CompletionEvent[]): void {
    for (const event of events) {
      if (event.type === 'text' || event.type === 'refusal') this.#add(this.#text, event.text)
      else if (event.type === 'reasoning') this.#add(this.#reasoning, event.text)
      else if (event.type === 'tool_call') this.#startCall(callKey(event), event.id, event.name)
      else if (event.type === 'tool_arguments') this.#addArguments(callKey(event), event.text)
      else if (event.type === 'image') this.#add(this.#text, '[image]')
    }
  }

  #startCall(key: string, id: string, name: string): void {
    if (this.#characters > this.#maxCharacters) return
    this.#characters += String(id).length + String(name).length
    this.#calls.set(key, { id: String(id), name: String(name), pieces: [] })
  }

  /** Ignores the arguments of a call that was not started, or started beyond the limit. */
  #addArguments(key: string, text: unknown): void {
    const call = this.#calls.get(key)
    if (call) this.#add(call.pieces, text)
  }

  /** Adds a text. The first text that exceeds the limit is added whole, and cut later by `content-truncator.ts`. */
  #add(pieces: string[], text: unknown): void {
    if (typeof text !== 'string' || this.#characters > this.#maxCharacters) return
    this.#characters += text.length
    pieces.push(text)
  }

  /** Returns the collected content. A missing text is null. */
  toContent(): { completion: string | null; reasoning: string | null; calls: ToolCallText[] } {
    const joinPieces = (pieces: string[]) => (pieces.length > 0 ? pieces.join('') : null)
    const calls = [...this.#calls.values()].map(({ id, name, pieces }) => ({ id, name, arguments: pieces.join('') }))
    return { completion: joinPieces(this.#text), reasoning: joinPieces(this.#reasoning), calls }
  }
}
