import type { SseEvent } from '#platform/net/sse.ts'
import type { UpstreamEvent } from '../../protocol/tool-calls/piece.ts'
import { ResponseCalls } from './openai-responses-calls.ts'
import { type Annotation, AnswerText, readCitations, readSources } from './openai-responses-citations.ts'
import {
  errorEvent,
  isCall,
  isReasoningPart,
  listParts,
  pieceEvents,
  readDoneItem,
  readEnding,
  startedEvent,
  thoughtEvent,
} from './openai-responses-events.ts'
import type { Event, Item, Part, Response } from './openai-responses-format.ts'

/** Reads one streamed response. */
export function responsesReader(): (event: SseEvent) => UpstreamEvent[] {
  const stream = new ResponseStream()
  return ({ data }) => stream.read(JSON.parse(data) as Event)
}

/**
 * Reads one streamed response. The closing events repeat parts and items, and some servers send content only there. So the
 * text of each closing event after what was already emitted is read, too.
 */
class ResponseStream {
  readonly #text = new AnswerText()
  readonly #emittedLengths = new EmittedLengths()
  /** The number of sources of each part so far. */
  readonly #citationCounts = new Map<string, number>()
  readonly #calls = new ResponseCalls()
  /** The ids of items that were reported as done. */
  readonly #doneItems = new Set<string | undefined>()
  /** All text so far, to find what only the whole response has. */
  #emittedText = ''

  read(event: Event): UpstreamEvent[] {
    const { item = {}, output_index: output = 0, content_index, summary_index } = event
    switch (event.type) {
      case 'response.created':
        return [startedEvent(event.response)]
      case 'response.output_text.delta':
        return this.#emitDelta('text', output, content_index, event.delta)
      case 'response.output_text.annotation.added':
        return this.#cite([event.annotation], output, content_index)
      case 'response.refusal.delta':
        return this.#emitDelta('refusal', output, content_index, event.delta)
      case 'response.reasoning_summary_text.delta':
        return this.#emitDelta('reasoning', output, summary_index, event.delta)
      case 'response.reasoning_text.delta':
        return this.#emitDelta('reasoning', output, content_index, event.delta)
      case 'response.reasoning_summary_part.added':
        return summary_index ? [thoughtEvent('\n\n')] : []
      case 'response.output_item.added':
        return isCall(item) ? [this.#calls.startCall(item, event.output_index)] : pieceEvents(item)
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return [this.#calls.addArguments(event)]
      case 'response.function_call_arguments.done':
      case 'response.custom_tool_call_input.done':
        return [this.#calls.argumentsDone(event)]
      case 'response.output_item.done':
        return this.#doneItem(item, event.output_index)
      case 'response.completed':
      // OpenRouter sends this name.
      case 'response.done':
      case 'response.incomplete':
      case 'response.failed':
        return this.#end(event.response ?? {})
      case 'error':
        return [errorEvent(event.error ?? event)]
      default:
        return this.#readPartEnd(event)
    }
  }

  /** Reads an event that repeats a whole text at its end, or an error in an event of an unknown type. */
  #readPartEnd(event: Event): UpstreamEvent[] {
    const { type, text, refusal, part, error, output_index: output = 0, content_index, summary_index } = event
    switch (type) {
      case 'response.output_text.done':
        return this.#emitRest('text', output, content_index, text)
      case 'response.refusal.done':
        return this.#emitRest('refusal', output, content_index, refusal)
      case 'response.reasoning_summary_text.done':
        return this.#emitRest('reasoning', output, summary_index, text)
      case 'response.reasoning_text.done':
        return this.#emitRest('reasoning', output, content_index, text)
      case 'response.content_part.done':
        return [
          ...this.#emitRest(isReasoningPart(part) ? 'reasoning' : 'text', output, content_index, part?.text),
          ...this.#emitRest('refusal', output, content_index, part?.refusal),
        ]
      case 'response.reasoning_summary_part.done':
        return this.#emitRest('reasoning', output, summary_index, part?.text)
      default:
        return error ? [errorEvent(error)] : []
    }
  }

  #emitDelta(type: DeltaType, output: number, part: number | undefined, text: string | undefined): UpstreamEvent[] {
    if (type === 'text') this.#text.add(output, part, text)
    if (!text) return []
    if (type === 'text') this.#emittedText += text
    this.#emittedLengths.add(type, output, part, text.length)
    return type === 'reasoning' ? [thoughtEvent(text)] : [{ type, text }]
  }

  /** Emits what a closing event has beyond the deltas before it. */
  #emitRest(type: DeltaType, output: number, part: number | undefined, whole: string | undefined): UpstreamEvent[] {
    const rest = whole?.slice(this.#emittedLengths.lengthOf(type, output, part))
    return rest ? this.#emitDelta(type, output, part, rest) : []
  }

  #cite(annotations: (Annotation | undefined)[], output: number, part: number | undefined): UpstreamEvent[] {
    const key = `${output} ${part ?? 0}`
    this.#citationCounts.set(key, (this.#citationCounts.get(key) ?? 0) + annotations.length)
    return readCitations(annotations, this.#text.startOf(output, part))
  }

  /** Emits the sources that only a closing event has. */
  #citeRest({ annotations }: Part, output: number, part: number): UpstreamEvent[] {
    const rest = (annotations ?? []).slice(this.#citationCounts.get(`${output} ${part}`) ?? 0)
    return rest.length > 0 ? this.#cite(rest, output, part) : []
  }

  #doneItem(item: Item, output: number | undefined): UpstreamEvent[] {
    this.#doneItems.add(item.id)
    if (isCall(item)) return [this.#calls.finishCall(item, output)]
    // An item without its index cannot be compared with earlier events.
    return output === undefined ? readDoneItem(item) : [...this.#restOf(item, output), ...readDoneItem(item)]
  }

  #restOf({ type, content, summary }: Item, output: number): UpstreamEvent[] {
    if (type === 'reasoning')
      return listParts(summary?.length ? summary : content).flatMap(({ text }, at) =>
        this.#emitRest('reasoning', output, at, text),
      )
    if (type !== 'message') return []
    return listParts(content).flatMap((part, at) => [
      ...this.#emitRest('text', output, at, part.text),
      ...this.#citeRest(part, output, at),
      ...this.#emitRest('refusal', output, at, part.refusal),
    ])
  }

  #sourcesOf({ type, content }: Item, output: number): UpstreamEvent[] {
    if (type !== 'message' || this.#citationCounts.size > 0) return []
    return listParts(content).flatMap((part, at) => this.#citeRest(part, output, at))
  }

  /**
   * Reads the whole response at the end. Some servers number its items differently than the events before, so an item of a
   * type that was emitted is not emitted again.
   */
  #end(response: Response): UpstreamEvent[] {
    const items = Array.isArray(response.output) ? response.output : []
    const calls = this.#calls.finishAll(items.filter(isCall))
    const events = items.flatMap((item, at): UpstreamEvent[] => {
      if (isCall(item)) return [calls.shift()!]
      if (this.#doneItems.has(item.id) || (item.id === undefined && this.#doneItems.size > 0)) return []
      const isEmitted =
        item.type === 'reasoning' ? this.#emittedLengths.has('reasoning') : this.#emittedLengths.hasAnswer
      return [...(isEmitted ? this.#sourcesOf(item, at) : this.#restOf(item, at)), ...readDoneItem(item)]
    })
    const text = this.#textAfter(items)
    const sources = this.#citationCounts.size === 0 ? readSources(response.citations) : []
    return [...events, ...text, ...sources, ...readEnding(response, !this.#calls.isEmpty)]
  }

  /** The text that only the whole response has. */
  #textAfter(items: readonly Item[]): UpstreamEvent[] {
    const messages = items.filter(({ type }) => type === 'message')
    const whole = messages.flatMap(({ content }) => listParts(content).map(({ text }) => text ?? '')).join('')
    const emitted = this.#emittedText
    return whole.startsWith(emitted) ? this.#emitDelta('text', items.length, 0, whole.slice(emitted.length)) : []
  }
}

type DeltaType = 'text' | 'refusal' | 'reasoning'

/** The length of the delivered text of each part. */
class EmittedLengths {
  readonly #lengths = new Map<string, number>()
  readonly #types = new Set<DeltaType>()

  add(type: DeltaType, output: number, part: number | undefined, length: number): void {
    this.#types.add(type)
    this.#lengths.set(`${type} ${output} ${part ?? 0}`, this.lengthOf(type, output, part) + length)
  }

  lengthOf(type: DeltaType, output: number, part: number | undefined): number {
    return this.#lengths.get(`${type} ${output} ${part ?? 0}`) ?? 0
  }

  has(type: DeltaType): boolean {
    return this.#types.has(type)
  }

  get hasAnswer(): boolean {
    return this.has('text') || this.has('refusal')
  }
}
