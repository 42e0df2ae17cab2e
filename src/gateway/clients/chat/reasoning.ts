import { detailsOf, type ReasoningDetail, textOfPiece } from '#chat/thoughts.ts'
import { type Part, textsOf } from '../../protocol/thinking-parts.ts'

type RawMessage = { content?: unknown; reasoning?: unknown; reasoning_content?: unknown; reasoning_details?: unknown }

/**
 * Whether reasoning lacks one of the members that clients read, `reasoning` and `reasoning_details`. Searches the JSON as
 * text, because quotes within strings are escaped.
 */
export function lacksReasoning(text: string): boolean {
  if (!text.includes('"reasoning')) return false
  const hasText = /"reasoning"\s*:\s*"[^"]/.test(text)
  const hasDetails = /"reasoning_details"\s*:\s*\[\s*\{/.test(text)
  return hasText !== hasDetails || (!hasText && /"reasoning_content"\s*:\s*"[^"]/.test(text))
}

/** Adds the members that clients read. Each detail has the id of the model that made it. */
export function addReasoning(message: RawMessage, model: string): void {
  const { reasoning, reasoning_content, reasoning_details: details } = message
  const field = reasoning ? 'reasoning' : 'reasoning_content'
  const text = reasoning || reasoning_content
  const hasDetails = Array.isArray(details) && details.length > 0
  if (hasDetails && !text) {
    const joined = (details as ReasoningDetail[]).map(textOfDetail).join('')
    if (joined) message.reasoning = joined
  }
  if (typeof text !== 'string' || text === '') return
  message.reasoning = text
  if (!hasDetails) message.reasoning_details = detailsOf({ text, field, by: model }, 0)
}

const textOfDetail = (detail: ReasoningDetail | null) => (detail ? textOfPiece(detail) : '')

/** Moves reasoning parts out of the content, where clients expect text. */
export function withoutThinkingParts(parts: Part[], model: string): object {
  const texts = parts.map(textsOf)
  const [content, reasoning] = [texts.map(({ text }) => text).join(''), texts.map(({ thought }) => thought).join('')]
  if (!reasoning) return { content }
  const details = detailsOf({ text: reasoning, field: 'thinking', by: model }, 0)
  return { content, reasoning, reasoning_details: details }
}
