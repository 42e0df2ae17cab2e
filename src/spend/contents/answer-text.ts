import type { AnswerEvent } from '#chat/events.ts'
import type { ToolCallText } from './content.ts'

/** The key of a call, whose index is unique only within its choice. */
const keyOf = ({ choice = 0, index }: { choice?: number; index: number }) => `${choice}:${index}`

type Call = { id: string; name: string; pieces: string[] }

/** Collects the content of an answer up to a limit. Pieces are joined at the end. */
export class AnswerText {
  readonly #mostCharacters: number
  #characters = 0
  readonly #text: string[] = []
  readonly #reasoning: string[] = []
  readonly #calls = new Map<string, Call>()

  constructor(mostCharacters: number) {
    this.#mostCharacters = mostCharacters
  }

  take(events: readonly AnswerEvent[]): void {
    for (const event of events) {
      if (event.type === 'text' || event.type === 'refusal') this.#add(this.#text, event.text)
      else if (event.type === 'reasoning') this.#add(this.#reasoning, event.text)
      else if (event.type === 'tool_call') this.#begin(keyOf(event), event.id, event.name)
      else if (event.type === 'tool_arguments') this.#add(this.#calls.get(keyOf(event))?.pieces, event.text)
      else if (event.type === 'image') this.#add(this.#text, '[image]')
    }
  }

  #begin(key: string, id: string, name: string): void {
    if (this.#characters > this.#mostCharacters) return
    this.#characters += String(id).length + String(name).length
    this.#calls.set(key, { id: String(id), name: String(name), pieces: [] })
  }

  /** Adds a piece, whose type is checked. The piece that exceeds the limit is stored and cut later. */
  #add(pieces: string[] | undefined, text: unknown): void {
    if (!pieces || typeof text !== 'string' || this.#characters > this.#mostCharacters) return
    this.#characters += text.length
    pieces.push(text)
  }

  /** Parts that the answer does not have are null. */
  read(): { completion: string | null; reasoning: string | null; calls: ToolCallText[] } {
    const textOf = (pieces: string[]) => (pieces.length > 0 ? pieces.join('') : null)
    const calls = [...this.#calls.values()].map(({ id, name, pieces }) => ({ id, name, arguments: pieces.join('') }))
    return { completion: textOf(this.#text), reasoning: textOf(this.#reasoning), calls }
  }
}
