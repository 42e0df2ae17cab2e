import type { AnswerEvent } from '#chat/events.ts'
import type { ProviderProtocol } from '../provider-protocol.ts'
import { mapAnswerEvents } from './map-answer-events.ts'

/**
 * Wraps a protocol, so that the arguments of a tool become the text of the answer. Models that do not support answer formats
 * must call such a tool (docs/decisions/0287).
 * @param tool the name of the tool.
 */
export function withAnswerTool(protocol: ProviderProtocol, tool: string): ProviderProtocol {
  return mapAnswerEvents(protocol, () => {
    const text = new AnswerToolText(tool)
    return (event) => text.take(event)
  })
}

class AnswerToolText {
  readonly #tool: string
  /** The index of the first call of the tool. */
  #answerIndex: number | undefined
  /** The indexes of calls of other tools, in order. The position is the index for the client. */
  readonly #otherIndexes: number[] = []
  /** The indexes of further calls of the tool, which are dropped: the answer is one JSON text. */
  readonly #repeatedIndexes = new Set<number>()
  /** Text before the call of the tool. It is part of the answer only if the model does not call the tool. */
  #heldText: AnswerEvent[] = []

  constructor(tool: string) {
    this.#tool = tool
  }

  take(event: AnswerEvent): AnswerEvent[] {
    switch (event.type) {
      case 'text':
        if (this.#answerIndex === undefined) this.#heldText.push(event)
        return []
      case 'tool_call':
        if (event.name === this.#tool) return this.#startAnswer(event.index)
        this.#otherIndexes.push(event.index)
        return [...this.#release(), { ...event, index: this.#otherIndexes.length - 1 }]
      case 'tool_arguments':
        if (event.index === this.#answerIndex) return [{ type: 'text', text: event.text }]
        if (this.#repeatedIndexes.has(event.index)) return []
        return [{ ...event, index: this.#otherIndexes.indexOf(event.index) }]
      case 'finish': {
        const isAnswer = event.reason === 'tool_calls' && this.#otherIndexes.length === 0
        return [...this.#release(), isAnswer ? { ...event, reason: 'stop' } : event]
      }
      default:
        return [event]
    }
  }

  #startAnswer(index: number): AnswerEvent[] {
    this.#heldText = []
    if (this.#answerIndex === undefined) this.#answerIndex = index
    else this.#repeatedIndexes.add(index)
    return []
  }

  #release(): AnswerEvent[] {
    const events = this.#heldText
    this.#heldText = []
    return events
  }
}
