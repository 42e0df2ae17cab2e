import type { CompletionEvent } from '#chat/events.ts'
import { applyChanges, type Changes, findFields } from '#platform/json/json-text/json-fields.ts'

/**
 * Rewrites an upstream's bytes for clients of the same protocol: replaces the names of model and provider by those of the
 * catalogue, and adds fields that clients need and the upstream omits. All other bytes stay.
 */
export type PassthroughRewriter = {
  /** Rewrites a stream event. @param events its parsed events with assembled tool calls; undefined for a text delta. */
  rewriteEvent: (raw: Buffer, events?: readonly CompletionEvent[]) => Buffer
  /** Writes events that are found only at the end of a stream, and that no event of the upstream contains. */
  writeRemaining?: (events: readonly CompletionEvent[]) => string
  /** Writes the end of a stream that the upstream omitted. */
  writeEnd?: () => string
  /**
   * Rewrites a whole response.
   * @param response the bytes of the response as a latin1 string.
   * @param body the parsed response.
   * @param events the events that were read from the response.
   */
  rewriteWhole: (response: string, body: unknown, events: readonly CompletionEvent[]) => string
}

/** The start of an event's JSON object; -1 for data on several lines, which is never passed through. */
export function findObjectStart(event: string): number {
  const from = event.indexOf('{', event.indexOf('data:'))
  return event.indexOf('\ndata', from) === -1 ? from : -1
}

/** Parses the object in an event's data. Empty for data on several lines. */
export function parseEventObject(event: Buffer): object {
  const text = event.toString('utf8')
  const from = findObjectStart(text)
  if (from === -1) return {}
  const end = text.indexOf('\n', from)
  return JSON.parse(text.slice(from, end === -1 ? undefined : end)) as object
}

/** Changes the object in a field of an event. Returns an event without that field unchanged. */
export function changeField(raw: Buffer, name: string, changes: Changes): Buffer {
  const text = raw.toString('latin1')
  const from = findObjectStart(text)
  const field = from === -1 ? undefined : findFields(text, from).find((candidate) => candidate.name === name)
  if (!field || text[field.valueStart] !== '{') return raw
  return Buffer.from(applyChanges(text, field.valueStart, changes), 'latin1')
}

/**
 * Changes the object in the last of several events. The events of a repair can precede the event of the upstream.
 * @param change returns undefined if the object does not change.
 */
export function changeLastObject<Value extends object>(
  events: Buffer,
  change: (value: Value) => object | undefined,
): string | Buffer {
  const text = events.toString('utf8')
  const at = text.lastIndexOf('\ndata:') + 1
  const changed = change(JSON.parse(text.slice(text.indexOf('{', at))) as Value)
  return changed ? `${text.slice(0, at)}data: ${JSON.stringify(changed)}\n\n` : events
}
