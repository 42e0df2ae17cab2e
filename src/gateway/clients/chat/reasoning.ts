import type { CompletionEvent } from '#chat/events.ts'
import { pieceText, type ReasoningDetail, toReasoningDetails } from '#chat/thoughts.ts'
import { isObject } from '#platform/core/is-object.ts'
import { type Part, type ReasoningFields, readReasoning, splitReasoningPart } from '../../protocol/reasoning-parts.ts'

type RawMessage = ReasoningFields & { content?: unknown; reasoning_details?: unknown }

/**
 * Whether a message has reasoning without both fields that clients read (`reasoning` and `reasoning_details`), or in a field
 * that clients do not read. `tagged_reasoning` is reasoning that this service separated from the text of a response.
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
  if (unreadFieldPattern.test(text)) return true
  if (!text.includes('"reasoning')) return false
  const hasText = /"reasoning"\s*:\s*"[^"]/.test(text)
  const hasDetails = /"reasoning_details"\s*:\s*\[\s*\{/.test(text)
  return hasText !== hasDetails || (!hasText && /"reasoning_content"\s*:\s*"[^"]/.test(text))
}

/** Matches reasoning in fields that clients do not read, and an object instead of text. */
const unreadFieldPattern = /"(?:thinking|reasoning_text|tagged_reasoning)"\s*:\s*"[^"]|"reasoning"\s*:\s*\{/

/** Adds the fields with reasoning that clients read. Each detail has the id of the model that generated it. */
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

/**
 * The events with signatures that the server sends outside `reasoning_details`. Clients need a detail for each.
 * @param text the JSON of the response.
 */
export function findSignatures(events: readonly CompletionEvent[] = [], text: string): SignatureEvent[] {
  const signatures = events.filter((event) => event.type === 'reasoning' && event.via === 'chat' && event.encrypted)
  return signatures.length === 0 || text.includes('"reasoning_details"') ? [] : (signatures as SignatureEvent[])
}

export type SignatureEvent = Extract<CompletionEvent, { type: 'reasoning' }>

/** Adds a detail for each signature. Clients of OpenRouter return only details. */
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
export function separateReasoningParts(parts: Part[], model: string): object {
  const texts = parts.map(splitReasoningPart)
  const content = texts.map(({ text }) => text).join('')
  const reasoning = texts.map((part) => part.reasoning).join('')
  if (!reasoning) return { content }
  const details = toReasoningDetails({ text: reasoning, field: 'thinking', by: model }, 0)
  return { content, reasoning, reasoning_details: details }
}
