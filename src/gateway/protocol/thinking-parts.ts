/** A content part of an upstream that sends its thoughts as parts of the content, as Mistral does. */
export type Part = { type?: string; text?: string; thinking?: Part[] | string }

/** The text of a content part, as thought or as visible text. */
export function splitThought(part: Part | null): { thought: string; text: string } {
  const { type, thinking, text } = part ?? {}
  if (type !== 'thinking') return { thought: '', text: typeof text === 'string' ? text : '' }
  const thought = Array.isArray(thinking) ? thinking.map((part) => part?.text ?? '').join('') : thinking
  return { thought: thought ?? '', text: '' }
}

/** Fields in which chat servers send reasoning. GitHub has `reasoning_text`, Ollama `thinking`. */
export type ReasoningFields = {
  reasoning?: unknown
  reasoning_content?: unknown
  reasoning_text?: unknown
  thinking?: unknown
  /** Reasoning that this service separated from the text. */
  tagged_reasoning?: unknown
}

type UnsignedField = 'reasoning' | 'reasoning_content' | 'tagged'

/** The reasoning of a message or a delta, and the field in which it is sent back. */
export function readReasoning(message: ReasoningFields): { text: string; field: UnsignedField } {
  const { reasoning, reasoning_content, reasoning_text, thinking, tagged_reasoning: tagged } = message
  const text = readReasoningText(reasoning)
  if (text) return { text, field: 'reasoning' }
  if (typeof tagged === 'string' && tagged !== '') return { text: tagged, field: 'tagged' }
  const foreignTexts = [reasoning_content, reasoning_text, thinking].map(readReasoningText)
  return { text: foreignTexts.find((one) => one !== '') ?? '', field: 'reasoning_content' }
}

/** The text of reasoning. Some servers send it in an object. */
function readReasoningText(reasoning: unknown): string {
  if (typeof reasoning === 'string') return reasoning
  const { content, text } = (reasoning ?? {}) as { content?: unknown; text?: unknown }
  return [content, text].find((candidate): candidate is string => typeof candidate === 'string') ?? ''
}
