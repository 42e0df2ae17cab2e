import { isObject } from '#platform/core/is-object.ts'
import { parseJsonOr } from '#platform/core/parse-json.ts'
import { mapItems } from '#platform/json/map-texts.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import type { Fields } from '../with-fields.ts'

/**
 * The event with other choices. The same event if it has none, if no choice changes, or if its JSON is invalid, which the
 * decoder repairs later.
 */
export function mapChoices(event: SseEvent, change: (choice: Fields, chunk: Fields) => Fields): SseEvent {
  const chunk = parseJsonOr(event.data, undefined)
  if (!isObject(chunk) || !Array.isArray(chunk.choices)) return event
  const choices = mapItems(chunk.choices as unknown[], (choice) => (isObject(choice) ? change(choice, chunk) : choice))
  return choices === chunk.choices ? event : toEvent({ ...chunk, choices })
}

function toEvent(chunk: Fields): SseEvent {
  const data = JSON.stringify(chunk)
  return { event: undefined, data, raw: Buffer.from(`data: ${data}\n\n`) }
}

/**
 * The event at the end of a stream with the text that its splitters still hold. None if they hold nothing.
 * @param splitters by the index of their choice.
 */
export function toFinalEvents<Splitter>(
  lastChunk: Fields | undefined,
  splitters: ReadonlyMap<unknown, Splitter>,
  endDelta: (splitter: Splitter) => Fields,
): SseEvent[] {
  const choices = [...splitters].flatMap(([index, splitter]) => {
    const delta = endDelta(splitter)
    return Object.keys(delta).length > 0 ? [{ index, delta, finish_reason: null }] : []
  })
  return choices.length > 0 ? [toEvent({ ...lastChunk, usage: undefined, choices })] : []
}
