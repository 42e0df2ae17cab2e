import { parseWithExactArguments } from '#chat/fields/arguments-fields.ts'
import { parseJsonOr } from '#platform/core/parse-json.ts'
import { repairJsonSyntax } from '#platform/json/json-text/repair-json-syntax.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import type { ProviderProtocol } from '../../../protocol/provider-protocol.ts'
import type { Normalizer, StreamProgress } from '../../../protocol/response-normalization.ts'
import { protocols } from '../../../providers/protocols.ts'

/** The event in the form of its protocol. The same event if it has that form. */
export function normalizeEvent(
  event: SseEvent,
  normalizer: Normalizer | undefined,
  progress: StreamProgress,
): SseEvent {
  if (!normalizer || event.event === 'error' || normalizer.isStandard(event)) return event
  const content = parseJsonOr(event.data, undefined, parseWithExactArguments)
  if (typeof content !== 'object' || content === null) return event
  const normalized = normalizer.normalizeEvent(content, progress, event.event)
  return normalized === content ? event : replaceData(event, JSON.stringify(normalized))
}

/** The event with valid JSON; undefined if it cannot be repaired. */
export function repairEvent(event: SseEvent, error: unknown): SseEvent | undefined {
  const data = error instanceof SyntaxError ? repairJsonSyntax(event.data) : undefined
  return data === undefined ? undefined : replaceData(event, data)
}

/**
 * The event without a second name of the field, which some proxies add (`data: data: {…}`), and without a second encoding, which
 * some servers add (`data: "{…}"`).
 */
export function removeRepeatedEncoding(event: SseEvent): SseEvent {
  const named = event.data.replace(/^\s*data:\s*/, '')
  const inner = /^\s*"\s*\{/.test(named) ? parseJsonOr(named, undefined) : named
  const data = typeof inner === 'string' ? inner : named
  return data === event.data ? event : replaceData(event, data)
}

function replaceData({ event }: SseEvent, data: string): SseEvent {
  return { event, data, raw: Buffer.from(`${event ? `event: ${event}\n` : ''}data: ${data}\n\n`) }
}

/** The protocol that an event of a stream shows: that of its endpoint or another one. Undefined if it shows none. */
export function recognizeEvent({ data }: SseEvent, expected: ProviderProtocol): ProviderProtocol | undefined {
  if (!expected.normalization || expected.normalization.eventPattern.test(data)) return expected
  return Object.values(protocols).find(({ normalization }) => normalization?.eventPattern.test(data))
}
