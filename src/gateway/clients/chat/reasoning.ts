import type { AnswerEvent } from '#chat/events.ts'
import { pieceText, type ReasoningDetail, toReasoningDetails } from '#chat/thoughts.ts'
import { isObject } from '#platform/core/is-object.ts'
import { type Part, type ReasoningFields, readReasoning, splitThought } from '../../protocol/thinking-parts.ts'

type RawMessage = ReasoningFields & { content?: unknown; reasoning_details?: unknown }

/**
 * Whether reasoning lacks one of the members that clients read, `reasoning` and `reasoning_details`, or is in a field that
 * they do not read. `tagged_reasoning` is reasoning that this service separated from the text of an answer.
 */
export function lacksReasoning(message: RawMessage): boolean {
  const { reasoning, reasoning_content, reasoning_details: details } = message
  const { thinking, reasoning_text, tagged_reasoning } = message
  if (isText(thinking) || isText(reasoning_text) || isText(tagged_reasoning) || isObject(reasoning)) return true
  const hasDetails = Array.isArray(details) && details.length > 0
  return isText(reasoning) !== hasDetails || (!hasDetails && isText(reasoning_content))
}

const isText = (value: unknown) => typeof value === 'string' && value !== ''

/** Like `lacksReasoning`. Searches the JSON of a message as text, because quotes within strings are escaped. */
export function lacksReasoningInText(text: string): boolean {
  if (otherField.test(text)) return true
  if (!text.includes('"reasoning')) return false
  const hasText = /"reasoning"\s*:\s*"[^"]/.test(text)
  const hasDetails = /"reasoning_details"\s*:\s*\[\s*\{/.test(text)
  return hasText !== hasDetails || (!hasText && /"reasoning_content"\s*:\s*"[^"]/.test(text))
}

/** Names of the field that clients do not read, and an object instead of text. */
const otherField = /"(?:thinking|reasoning_text|tagged_reasoning)"\s*:\s*"[^"]|"reasoning"\s*:\s*\{/

/** Adds the members that clients read. Each detail has the id of the model that made it. */
export function addReasoning(message: RawMessage, model: string): void {
  const { reasoning_details: details } = message
  const { text, field } = readReasoning(message)
  const hasDetails = Array.isArray(details) && details.length > 0
  if (hasDetails && !text) {
    const joinedText = (details as ReasoningDetail[]).map(textOfDetail).join('')
    if (joinedText) message.reasoning = joinedText
  }
  if (text === '') return
  message.reasoning = text
  delete message.tagged_reasoning
  if (!hasDetails) message.reasoning_details = toReasoningDetails({ text, field, by: model }, 0)
}

/** The events for which clients need a detail: signatures that the server sends in other members. @param text the JSON of the answer. */
export function signaturesIn(events: readonly AnswerEvent[] = [], text: string): SignatureEvent[] {
  const signatures = events.filter((event) => event.type === 'reasoning' && event.via === 'chat' && event.encrypted)
  return signatures.length === 0 || text.includes('"reasoning_details"') ? [] : (signatures as SignatureEvent[])
}

export type SignatureEvent = Extract<AnswerEvent, { type: 'reasoning' }>

/** Adds details of signatures. Clients of OpenRouter return only these. */
export function addSignatures(message: RawMessage, signatures: readonly SignatureEvent[]): void {
  const { reasoning_details: details } = message
  const existing = Array.isArray(details) ? (details as ReasoningDetail[]) : []
  if (signatures.length === 0) return
  message.reasoning_details = [
    ...existing,
    ...signatures.flatMap((signature, at) => toReasoningDetails(signature, existing.length + at)),
  ]
}

const textOfDetail = (detail: ReasoningDetail | null) => (detail ? pieceText(detail) : '')

/** Moves reasoning parts out of the content, where clients expect text. */
export function withoutThinkingParts(parts: Part[], model: string): object {
  const texts = parts.map(splitThought)
  const content = texts.map(({ text }) => text).join('')
  const reasoning = texts.map(({ thought }) => thought).join('')
  if (!reasoning) return { content }
  const details = toReasoningDetails({ text: reasoning, field: 'thinking', by: model }, 0)
  return { content, reasoning, reasoning_details: details }
}
