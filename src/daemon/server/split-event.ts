import type { TurnEvent } from '#interns/contract/turn-event.ts'
import { cutPosition, truncateText } from '#platform/text/truncate.ts'

/**
 * The longest text of one event. A character takes up to six bytes in JSON, so the event stays below `maxEventBytes`
 * (`src/interns/contract/turn-event.ts`).
 */
const maxTextLength = 32 * 1024
const maxMessageLength = 10_000

/**
 * Splits an event into several events with texts of at most `maxTextLength`. An agent can send more text at once than one event
 * can contain.
 */
export function splitEvent(event: TurnEvent): TurnEvent[] {
  if ('message' in event && event.message.length > maxMessageLength)
    return [{ ...event, message: `${truncateText(event.message, maxMessageLength)}…` }]
  if (!('text' in event) || event.text.length <= maxTextLength) return [event]
  const parts: TurnEvent[] = []
  for (let from = 0; from < event.text.length; ) {
    const to = cutPosition(event.text, from + maxTextLength)
    parts.push({ type: event.type, text: event.text.slice(from, to) })
    from = to
  }
  return parts
}
