import type { ChatRequest } from '#chat/chat-request.ts'

type Choice = {
  type?: string
  allowed_tools?: { mode?: string; tools?: { name?: string; function?: { name?: string } }[] }
}

/** The words of all protocols for a choice. Anthropic's and Mistral's `any` is `required` in the others. */
const choiceWords = new Map<unknown, 'auto' | 'none' | 'required'>([
  ['auto', 'auto'],
  ['none', 'none'],
  ['required', 'required'],
  ['any', 'required'],
])

/**
 * Reads a word for a tool choice, which some clients and presets send as the type of an object: `{ "type": "any" }`.
 * @returns undefined if it is not a word of any protocol.
 */
export function readChoiceWord(word: unknown): 'auto' | 'none' | 'required' | undefined {
  return choiceWords.get(word)
}

/**
 * The request with a tool choice that every server understands: a word, or one function. A choice among several tools
 * (`allowed_tools`), which few servers know, is replaced by sending these tools alone.
 */
export function withPlainToolChoice(chat: ChatRequest): ChatRequest {
  const { tool_choice: choice, tools } = chat
  if (typeof choice !== 'object' || choice === null) return chat
  const { type, allowed_tools: allowed } = choice as Choice
  const word = readChoiceWord(type)
  if (word) return { ...chat, tool_choice: word }
  if (type !== 'allowed_tools') return chat
  const names = new Set(allowed?.tools?.map((tool) => tool.function?.name ?? tool.name))
  return {
    ...chat,
    tools: tools?.filter((tool) => names.has(tool.function?.name)),
    tool_choice: allowed?.mode === 'required' ? 'required' : 'auto',
  }
}
