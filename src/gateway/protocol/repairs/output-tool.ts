import type { CompletionEvent } from '#chat/events.ts'
import type { ProviderProtocol } from '../provider-protocol.ts'
import { mapCompletionEvents } from './map-completion-events.ts'

/**
 * Wraps a protocol, so that the arguments of a tool become the text of the response. Models that do not support response formats
 * must call such a tool (docs/decisions/0287).
 * @param tool the name of the tool.
 */
export function withOutputTool(protocol: ProviderProtocol, tool: string): ProviderProtocol {
  return mapCompletionEvents(protocol, () => {
    const text = new OutputToolText(tool)
    return (event) => text.take(event)
  })
}

class OutputToolText {
  readonly #tool: string
  /** The index of the first call of the tool. */
  #responseIndex: number | undefined
  /** The indexes of calls of other tools, in order. The position is the index for the client. */
  readonly #otherIndexes: number[] = []
  /** The indexes of further calls of the tool, which are dropped: the response is one JSON text. */
  readonly #repeatedIndexes = new Set<number>()
  /** Text before the call of the tool. It is part of the response only if the model does not call the tool. */
  #heldText: CompletionEvent[] = []

  constructor(tool: string) {
    this.#tool = tool
  }

  take(event: CompletionEvent): CompletionEvent[] {
    switch (event.type) {
      case 'text':
        if (this.#responseIndex === undefined) this.#heldText.push(event)
        return []
      case 'tool_call':
        if (event.name === this.#tool) return this.#startResponse(event.index)
        this.#otherIndexes.push(event.index)
        return [...this.#release(), { ...event, index: this.#otherIndexes.length - 1 }]
      case 'tool_arguments':
        if (event.index === this.#responseIndex) return [{ type: 'text', text: event.text }]
        if (this.#repeatedIndexes.has(event.index)) return []
        return [{ ...event, index: this.#otherIndexes.indexOf(event.index) }]
      case 'finish': {
        const isResponse = event.reason === 'tool_calls' && this.#otherIndexes.length === 0
        return [...this.#release(), isResponse ? { ...event, reason: 'stop' } : event]
      }
      default:
        return [event]
    }
  }

  #startResponse(index: number): CompletionEvent[] {
    this.#heldText = []
    if (this.#responseIndex === undefined) this.#responseIndex = index
    else this.#repeatedIndexes.add(index)
    return []
  }

  #release(): CompletionEvent[] {
    const events = this.#heldText
    this.#heldText = []
    return events
  }
}
