import type { AnswerEvent } from '#chat/events.ts'
import { repairedJson } from '#platform/json/repaired-json.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import type { AnswerForms, StreamProgress } from '../protocol/answer-forms.ts'
import type { ProviderProtocol } from '../protocol/protocol.ts'
import { readPageText } from '../providers/error-code.ts'
import { protocols } from '../providers/protocols.ts'
import { parseJson, parseJsonUpToMaxDepth } from './event-text.ts'
import type { WholeAnswer } from './receiver.ts'

/** The event in the form of its protocol. The same event if it has that form. */
export function usualEvent(event: SseEvent, forms: AnswerForms | undefined, progress: StreamProgress): SseEvent {
  if (!forms || event.event === 'error' || forms.isUsual(event)) return event
  const content = parseJson(event.data)
  if (typeof content !== 'object' || content === null) return event
  const usual = forms.ofEvent(content, progress, event.event)
  return usual === content ? event : withData(event, JSON.stringify(usual))
}

/** The event with valid JSON; undefined if it cannot be repaired. */
export function repairedEvent(event: SseEvent, error: unknown): SseEvent | undefined {
  const data = error instanceof SyntaxError ? repairedJson(event.data) : undefined
  return data === undefined ? undefined : withData(event, data)
}

/** The event without a second name of the field, which some proxies add: `data: data: {…}`. */
export function withoutRepeatedName(event: SseEvent): SseEvent {
  const data = event.data.replace(/^\s*data:\s*/, '')
  return data === event.data ? event : withData(event, data)
}

function withData({ event }: SseEvent, data: string): SseEvent {
  return { event, data, raw: Buffer.from(`${event ? `event: ${event}\n` : ''}data: ${data}\n\n`) }
}

/** The protocol that an event of a stream shows: that of its endpoint or another one. Undefined if it shows none. */
export function protocolOfEvent({ data }: SseEvent, expected: ProviderProtocol): ProviderProtocol | undefined {
  if (!expected.forms || expected.forms.mark.test(data)) return expected
  return Object.values(protocols).find(({ forms }) => forms?.mark.test(data))
}

/** The protocol of a whole answer, likewise. */
export function protocolOfAnswer(body: unknown, expected: ProviderProtocol): ProviderProtocol {
  if (!expected.forms || expected.forms.isOwn(body)) return expected
  return Object.values(protocols).find(({ forms }) => forms?.isOwn(body)) ?? expected
}

/** A whole answer as it was received, or with valid JSON, and its value. */
export type ParsedAnswer = { answer: WholeAnswer; body: unknown }

/** @throws Error if it is not valid JSON and cannot be repaired. */
export function parsedAnswer(answer: WholeAnswer): ParsedAnswer {
  try {
    return { answer, body: parseJsonUpToMaxDepth(answer.text) }
  } catch (error) {
    const text = error instanceof SyntaxError ? repairedJson(answer.text) : undefined
    if (text === undefined) throw error
    return { answer: writtenAnswer(text), body: parseJsonUpToMaxDepth(text) }
  }
}

/** The answer with this body; the same answer if its body did not change. */
export function answerWith(usual: unknown, body: unknown, answer: WholeAnswer): WholeAnswer {
  return usual === body ? answer : writtenAnswer(JSON.stringify(usual))
}

const writtenAnswer = (text: string): WholeAnswer => ({ bytes: Buffer.from(text), text })

/** The error of a server that answers with a text or a page instead of JSON. */
export function errorOf(text: string): Extract<AnswerEvent, { type: 'error' }> {
  return { type: 'error', message: readPageText(text), status: undefined }
}
