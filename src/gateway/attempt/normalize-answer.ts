import type { AnswerEvent } from '#chat/events.ts'
import { repairJsonSyntax } from '#platform/json/repair-json-syntax.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import type { Normalizer, StreamProgress } from '../protocol/answer-forms.ts'
import type { ProviderProtocol } from '../protocol/protocol.ts'
import { errorWithoutAnswer, noMessage, readPageText } from '../providers/error-code.ts'
import { protocols } from '../providers/protocols.ts'
import { parseJson, refuseDeep } from './event-text.ts'
import type { WholeAnswer } from './receiver.ts'

/** The event in the form of its protocol. The same event if it has that form. */
export function normalizeEvent(
  event: SseEvent,
  normalizer: Normalizer | undefined,
  progress: StreamProgress,
): SseEvent {
  if (!normalizer || event.event === 'error' || normalizer.isStandard(event)) return event
  const content = parseJson(event.data)
  if (typeof content !== 'object' || content === null) return event
  const normalized = normalizer.normalizeEvent(content, progress, event.event)
  return normalized === content ? event : replaceData(event, JSON.stringify(normalized))
}

/** The event with valid JSON; undefined if it cannot be repaired. */
export function repairEvent(event: SseEvent, error: unknown): SseEvent | undefined {
  const data = error instanceof SyntaxError ? repairJsonSyntax(event.data) : undefined
  return data === undefined ? undefined : replaceData(event, data)
}

/** The event without a second name of the field, which some proxies add: `data: data: {…}`. */
export function removeRepeatedName(event: SseEvent): SseEvent {
  const data = event.data.replace(/^\s*data:\s*/, '')
  return data === event.data ? event : replaceData(event, data)
}

function replaceData({ event }: SseEvent, data: string): SseEvent {
  return { event, data, raw: Buffer.from(`${event ? `event: ${event}\n` : ''}data: ${data}\n\n`) }
}

/** The protocol that an event of a stream shows: that of its endpoint or another one. Undefined if it shows none. */
export function recognizeEvent({ data }: SseEvent, expected: ProviderProtocol): ProviderProtocol | undefined {
  if (!expected.forms || expected.forms.mark.test(data)) return expected
  return Object.values(protocols).find(({ forms }) => forms?.mark.test(data))
}

/** The protocol of a whole answer, likewise. */
export function recognizeAnswer(body: unknown, expected: ProviderProtocol): ProviderProtocol {
  if (!expected.forms || expected.forms.isOwn(body)) return expected
  return Object.values(protocols).find(({ forms }) => forms?.isOwn(body)) ?? expected
}

/** The whole answer; undefined if it is not JSON. @throws Error if it is nested too deeply. */
export function parseAnswer(bytes: Buffer, text: string): WholeAnswer | undefined {
  const body = parseJson(text)
  if (body === undefined) return undefined
  refuseDeep(body, text)
  return { bytes, text, body }
}

/** The whole answer with valid JSON. @throws Error if its JSON cannot be repaired. */
export function repairAnswer(text: string): WholeAnswer {
  const repaired = repairJsonSyntax(text) ?? text
  const body: unknown = JSON.parse(repaired)
  refuseDeep(body, repaired)
  return { bytes: Buffer.from(repaired), text: repaired, body }
}

/** The answer with the normalized body; the same answer if normalizing did not change its body. */
export function replaceBody(answer: WholeAnswer, normalized: unknown): WholeAnswer {
  if (normalized === answer.body) return answer
  const text = JSON.stringify(normalized)
  return { bytes: Buffer.from(text), text, body: normalized }
}

/** The error in a field of this name, which earlier versions of llama.cpp send instead of an event. */
export function readErrorField(text: string): Extract<AnswerEvent, { type: 'error' }> | undefined {
  const [, json] = /^\s*error:\s*(\{.*)/s.exec(text) ?? []
  return json === undefined ? undefined : errorWithoutAnswer(parseJson(json), noMessage)
}

/** The error of a server that answers with a text or a page instead of JSON. */
export function toErrorEvent(text: string): Extract<AnswerEvent, { type: 'error' }> {
  return { type: 'error', message: readPageText(text), status: undefined }
}
