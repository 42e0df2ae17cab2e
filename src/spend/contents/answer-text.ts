import type { AnswerEvent } from '#chat/events.ts'
import type { ToolCallText } from './content.ts'

/** Calls are numbered within their choice. */
const keyOf = ({ choice = 0, index }: { choice?: number; index: number }) => `${choice}:${index}`

type Call = { id: string; name: string; pieces: string[] }

/** Collects what an answer says, up to a bound: the pieces of a stream are put together when it is over. */
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

  /** Upstreams answer what they like: a text need not be one. One piece more than fits is taken, to be cut. */
  #add(pieces: string[] | undefined, text: unknown): void {
    if (!pieces || typeof text !== 'string' || this.#characters > this.#mostCharacters) return
    this.#characters += text.length
    pieces.push(text)
  }

  /** Null for what the answer had none of. */
  read(): { completion: string | null; reasoning: string | null; calls: ToolCallText[] } {
    const textOf = (pieces: string[]) => (pieces.length > 0 ? pieces.join('') : null)
    const calls = [...this.#calls.values()].map(({ id, name, pieces }) => ({ id, name, arguments: pieces.join('') }))
    return { completion: textOf(this.#text), reasoning: textOf(this.#reasoning), calls }
  }
}
