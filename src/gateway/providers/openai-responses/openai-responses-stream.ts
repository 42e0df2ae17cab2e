import { parseWithExactArguments } from '#chat/fields/arguments-fields.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import type { UpstreamEvent } from '../../protocol/tool-calls/fragment.ts'
import { ResponseCalls } from './openai-responses-calls.ts'
import { type Annotation, readCitations, readSources, TextOffsets } from './openai-responses-citations.ts'
import {
  billedCallEvents,
  errorEvent,
  isCall,
  isReasoningPart,
  listParts,
  readDoneItem,
  readEnding,
  startedEvent,
  textEvent,
  thoughtEvent,
} from './openai-responses-events.ts'
import type { Event, Item, Part, Response } from './openai-responses-format.ts'
import { type DeltaType, EmittedParts, type PartPosition } from './openai-responses-parts.ts'

/** Reads one streamed response. */
export function createResponsesReader(): (event: SseEvent) => UpstreamEvent[] {
  const stream = new ResponseStream()
  return ({ data }) => stream.read(parseWithExactArguments(data) as Event)
}

/**
 * The state of one streamed response. The closing events repeat parts and items, and some servers send content only in them. So
 * each closing event is compared with the emitted text, and the missing rest is emitted.
 */
class ResponseStream {
  readonly #text = new TextOffsets()
  readonly #emitted = new EmittedParts()
  readonly #calls = new ResponseCalls()
  /** The ids of items that were reported as done. */
  readonly #doneItems = new Set<string | undefined>()
  /** Whether a message was added whose text has not started. */
  #startsMessage = false
  /** All text so far, to find what only the whole response has. */
  #emittedText = ''

  read(event: Event): UpstreamEvent[] {
    const { item = {} } = event
    switch (event.type) {
      case 'response.created':
        return [startedEvent(event.response)]
      case 'response.output_text.delta':
        return this.#emitText(contentPosition(event), event.delta)
      case 'response.output_text.annotation.added':
        return this.#cite([event.annotation], contentPosition(event))
      case 'response.refusal.delta':
        return this.#emit('refusal', contentPosition(event), event.delta)
      case 'response.reasoning_summary_text.delta':
        return this.#emit('reasoning', summaryPosition(event), event.delta)
      case 'response.reasoning_text.delta':
        return this.#emit('reasoning', contentPosition(event), event.delta)
      case 'response.reasoning_summary_part.added':
        return event.summary_index ? [thoughtEvent('\n\n')] : []
      case 'response.output_item.added':
        this.#startsMessage ||= item.type === 'message'
        return isCall(item) ? [this.#calls.startCall(item, event.output_index)] : billedCallEvents(item)
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return [this.#calls.addArguments(event)]
      case 'response.function_call_arguments.done':
      case 'response.custom_tool_call_input.done':
        return [this.#calls.finishArguments(event)]
      case 'response.output_item.done':
        return this.#finishItem(item, event.output_index)
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
    const { type, text, refusal, part, error } = event
    switch (type) {
      case 'response.output_text.done':
        return this.#emitRest('text', contentPosition(event), text)
      case 'response.refusal.done':
        return this.#emitRest('refusal', contentPosition(event), refusal)
      case 'response.reasoning_summary_text.done':
        return this.#emitRest('reasoning', summaryPosition(event), text)
      case 'response.reasoning_text.done':
        return this.#emitRest('reasoning', contentPosition(event), text)
      case 'response.content_part.done':
        return [
          ...this.#emitRest(isReasoningPart(part) ? 'reasoning' : 'text', contentPosition(event), part?.text),
          ...this.#emitRest('refusal', contentPosition(event), part?.refusal),
        ]
      case 'response.reasoning_summary_part.done':
        return this.#emitRest('reasoning', summaryPosition(event), part?.text)
      default:
        return error ? [errorEvent(error)] : []
    }
  }

  #emitText(position: PartPosition, text: string | undefined): UpstreamEvent[] {
    if (!text && this.#startsMessage) return []
    const separator = this.#startsMessage ? this.#text.startMessage() : ''
    this.#startsMessage = false
    // Also an empty text starts its part.
    this.#text.add(position, text)
    this.#emittedText += text ?? ''
    return [...textEvent('text', separator), ...this.#emit('text', position, text)]
  }

  #emit(type: DeltaType, position: PartPosition, text: string | undefined): UpstreamEvent[] {
    if (!text) return []
    this.#emitted.addText(type, position, text.length)
    return type === 'reasoning' ? [thoughtEvent(text)] : [{ type, text }]
  }

  /** Emits what the whole text of a closing event has beyond the deltas before it. */
  #emitRest(type: DeltaType, position: PartPosition, whole: string | undefined): UpstreamEvent[] {
    const rest = whole?.slice(this.#emitted.lengthOf(type, position))
    if (!rest) return []
    return type === 'text' ? this.#emitText(position, rest) : this.#emit(type, position, rest)
  }

  #cite(annotations: (Annotation | undefined)[], position: PartPosition): UpstreamEvent[] {
    this.#emitted.addCitations(position, annotations.length)
    return readCitations(annotations, this.#text.startOf(position))
  }

  /** Emits the sources that only a closing event has. */
  #citeRest({ annotations }: Part, position: PartPosition): UpstreamEvent[] {
    const rest = (annotations ?? []).slice(this.#emitted.citationCountOf(position))
    return rest.length > 0 ? this.#cite(rest, position) : []
  }

  #finishItem(item: Item, index: number | undefined): UpstreamEvent[] {
    this.#doneItems.add(item.id)
    if (isCall(item)) return [this.#calls.finishCall(item, index)]
    // An item without its index cannot be compared with earlier events.
    return index === undefined ? readDoneItem(item) : [...this.#restOf(item, index), ...readDoneItem(item)]
  }

  #restOf({ type, content, summary }: Item, index: number): UpstreamEvent[] {
    if (type === 'reasoning')
      return listParts(summary?.length ? summary : content).flatMap(({ text }, part) =>
        this.#emitRest('reasoning', { item: index, part }, text),
      )
    if (type !== 'message') return []
    return listParts(content).flatMap((part, at) => {
      const position = { item: index, part: at }
      return [
        ...this.#emitRest('text', position, part.text),
        ...this.#citeRest(part, position),
        ...this.#emitRest('refusal', position, part.refusal),
      ]
    })
  }

  #sourcesOf({ type, content }: Item, index: number): UpstreamEvent[] {
    if (type !== 'message' || this.#emitted.hasCitations) return []
    return listParts(content).flatMap((part, at) => this.#citeRest(part, { item: index, part: at }))
  }

  /**
   * Reads the whole response at the end. Some servers number its items differently than the events before, so an item of a
   * type that was emitted is not emitted again.
   */
  #end(response: Response): UpstreamEvent[] {
    const items = Array.isArray(response.output) ? response.output : []
    const calls = this.#calls.finishAll(items.filter(isCall))
    const events = items.flatMap((item, at): UpstreamEvent[] => calls.get(item) ?? this.#finishRepeatedItem(item, at))
    const text = this.#missingText(items)
    const sources = this.#emitted.hasCitations ? [] : readSources(response.citations)
    return [...events, ...text, ...sources, ...readEnding(response, !this.#calls.isEmpty)]
  }

  #finishRepeatedItem(item: Item, index: number): UpstreamEvent[] {
    if (this.#doneItems.has(item.id) || (item.id === undefined && this.#doneItems.size > 0)) return []
    const isEmitted = item.type === 'reasoning' ? this.#emitted.has('reasoning') : this.#emitted.hasTextOrRefusal
    return [...(isEmitted ? this.#sourcesOf(item, index) : this.#restOf(item, index)), ...readDoneItem(item)]
  }

  /** The text that only the whole response has. Called after the items, whose text was emitted. */
  #missingText(items: readonly Item[]): UpstreamEvent[] {
    const messages = items.filter(({ type }) => type === 'message')
    const whole = messages.flatMap(({ content }) => listParts(content).map(({ text }) => text ?? '')).join('')
    if (!whole.startsWith(this.#emittedText)) return []
    return this.#emitText({ item: items.length, part: 0 }, whole.slice(this.#emittedText.length))
  }
}

function contentPosition({ output_index: item = 0, content_index: part = 0 }: Event): PartPosition {
  return { item, part }
}

function summaryPosition({ output_index: item = 0, summary_index: part = 0 }: Event): PartPosition {
  return { item, part }
}
