/** A content part of an upstream that sends its thoughts as parts of the content, as Mistral does. */
export type Part = { type?: string; text?: string; thinking?: Part[] | string }

/** The text of a content part, as thought or as visible text. */
export function textsOf(part: Part | null): { thought: string; text: string } {
  const { type, thinking, text } = part ?? {}
  if (type !== 'thinking') return { thought: '', text: typeof text === 'string' ? text : '' }
  const thought = Array.isArray(thinking) ? thinking.map((one) => one?.text ?? '').join('') : thinking
  return { thought: thought ?? '', text: '' }
}
