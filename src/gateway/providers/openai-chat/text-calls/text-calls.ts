import { isObject } from '#platform/core/is-object.ts'
import { mapItems } from '#platform/json/map-texts.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import type { EventFilter } from '../../../protocol/response-normalization.ts'
import { type Fields, withFields } from '../../with-fields.ts'
import { mapChoices, toFinalEvents } from '../chunk-events.ts'
import type { TextCallFormat } from './text-call-formats.ts'
import { type SplitText, TextCallSplitter } from './text-call-splitter.ts'

/** Turns calls in the text of a stream into `tool_calls` (docs/decisions/0293). */
export class TextCallFilter implements EventFilter {
  readonly isDone = false
  readonly #create: () => TextCallSplitter
  readonly #splitters = new Map<unknown, TextCallSplitter>()
  /** The number of calls so far, in all choices: each gets another index. */
  #callCount = 0
  #lastChunk: Fields | undefined

  constructor(format: TextCallFormat, toolNames: ReadonlySet<string>) {
    this.#create = () => new TextCallSplitter(format, toolNames)
  }

  filter(event: SseEvent): SseEvent {
    return mapChoices(event, (choice, chunk) => {
      this.#lastChunk = chunk
      return this.#split(choice)
    })
  }

  flush(): SseEvent[] {
    return toFinalEvents(this.#lastChunk, this.#splitters, (splitter) => this.#toDelta(splitter.end()))
  }

  #split(choice: Fields): Fields {
    const { delta, finish_reason, index } = choice
    const text = isObject(delta) ? delta.content : undefined
    if (typeof text !== 'string' && !(finish_reason && this.#splitters.has(index))) return choice
    const splitter = this.#splitters.getOrInsertComputed(index, this.#create)
    const split = splitter.push(typeof text === 'string' ? text : '')
    const rest = finish_reason ? splitter.end() : { text: '', calls: [] }
    const whole = { text: split.text + rest.text, calls: [...split.calls, ...rest.calls] }
    if (whole.text === (text ?? '') && whole.calls.length === 0) return choice
    return { ...choice, delta: withFields((delta ?? {}) as Fields, { content: '', ...this.#toDelta(whole) }) }
  }

  #toDelta({ text, calls }: SplitText): Fields {
    const tool_calls = calls.map((called) => ({ index: this.#callCount++, type: 'function', function: called }))
    return { ...(text !== '' && { content: text }), ...(tool_calls.length > 0 && { tool_calls }) }
  }
}

/** A whole response with the calls in its text as `tool_calls`. The same response if it has none. */
export function withTextCalls(completion: unknown, format: TextCallFormat, toolNames: ReadonlySet<string>): unknown {
  const { choices } = (completion ?? {}) as { choices?: unknown }
  if (!Array.isArray(choices)) return completion
  const split = mapItems(choices as Fields[], (choice) => {
    const message = choice?.message
    if (!isObject(message) || typeof message.content !== 'string') return choice
    const splitter = new TextCallSplitter(format, toolNames)
    const [first, last] = [splitter.push(message.content), splitter.end()]
    const calls = [...first.calls, ...last.calls].map((called) => ({ type: 'function', function: called }))
    if (calls.length === 0) return choice
    const sentCalls = Array.isArray(message.tool_calls) ? message.tool_calls : []
    const content = first.text + last.text
    return { ...choice, message: { ...message, content: content || null, tool_calls: [...sentCalls, ...calls] } }
  })
  return split === choices ? completion : { ...(completion as Fields), choices: split }
}
