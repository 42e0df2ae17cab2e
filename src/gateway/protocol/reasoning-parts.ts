/** A content part of an upstream that sends reasoning as parts of the content, as Mistral does. */
export type Part = { type?: string; text?: string; thinking?: Part[] | string }

/** The text of a content part, as reasoning or as visible text. */
export function splitReasoningPart(part: Part | null): { reasoning: string; text: string } {
  const { type, thinking, text } = part ?? {}
  if (type !== 'thinking') return { reasoning: '', text: typeof text === 'string' ? text : '' }
  const reasoning = Array.isArray(thinking) ? thinking.map((part) => part?.text ?? '').join('') : thinking
  return { reasoning: reasoning ?? '', text: '' }
}

/** The fields in which chat servers send reasoning. `reasoning_text` is used by GitHub, `thinking` by Ollama. */
export type ReasoningFields = {
  reasoning?: unknown
  reasoning_content?: unknown
  reasoning_text?: unknown
  thinking?: unknown
  /** Reasoning that this service separated from the text. */
  tagged_reasoning?: unknown
}

type UnsignedField = 'reasoning' | 'reasoning_content' | 'tagged'

/** The reasoning of a message or a delta, and the field in which later requests return it. */
export function readReasoning(message: ReasoningFields): { text: string; field: UnsignedField } {
  const { reasoning, reasoning_content, reasoning_text, thinking, tagged_reasoning: tagged } = message
  const text = readReasoningText(reasoning)
  if (text) return { text, field: 'reasoning' }
  if (typeof tagged === 'string' && tagged !== '') return { text: tagged, field: 'tagged' }
  const otherTexts = [reasoning_content, reasoning_text, thinking].map(readReasoningText)
  return { text: otherTexts.find((one) => one !== '') ?? '', field: 'reasoning_content' }
}

/** Reads the text of reasoning. Some servers send an object with the text. */
function readReasoningText(reasoning: unknown): string {
  if (typeof reasoning === 'string') return reasoning
  const { content, text } = (reasoning ?? {}) as { content?: unknown; text?: unknown }
  return [content, text].find((candidate): candidate is string => typeof candidate === 'string') ?? ''
}
