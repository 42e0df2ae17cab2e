import { isObject } from '#platform/core/is-object.ts'
import { parseJsonOr } from '#platform/core/parse-json.ts'
import { mapItems } from '#platform/json/map-texts.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import type { Members } from '../with-members.ts'

/** The event with other choices. The same event if it has none, or if no choice changes. */
export function mapChoices(event: SseEvent, change: (choice: Members, chunk: Members) => Members): SseEvent {
  const chunk = parseJsonOr(event.data, undefined)
  if (!isObject(chunk) || !Array.isArray(chunk.choices)) return event
  const choices = mapItems(chunk.choices as unknown[], (choice) => (isObject(choice) ? change(choice, chunk) : choice))
  return choices === chunk.choices ? event : toEvent({ ...chunk, choices })
}

export function toEvent(chunk: Members): SseEvent {
  const data = JSON.stringify(chunk)
  return { event: undefined, data, raw: Buffer.from(`data: ${data}\n\n`) }
}
