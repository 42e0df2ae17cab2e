import type { ChatRequest } from '#chat/chat-request.ts'

type Choice = {
  type?: string
  allowed_tools?: { mode?: string; tools?: { name?: string; function?: { name?: string } }[] }
}

/** Words for a choice. A preset can have one as the type of an object: `{ "type": "auto" }`. */
const choiceWords = ['auto', 'none', 'required', 'any'] as const

/**
 * The request with a tool choice that every server understands: a word, or one function. A choice among several tools
 * (`allowed_tools`), which few servers know, is replaced by sending these tools alone.
 */
export function withPlainToolChoice(chat: ChatRequest): ChatRequest {
  const { tool_choice: choice, tools } = chat
  if (typeof choice !== 'object' || choice === null) return chat
  const { type, allowed_tools: allowed } = choice as Choice
  const word = choiceWords.find((choiceWord) => choiceWord === type)
  if (word) return { ...chat, tool_choice: word }
  if (type !== 'allowed_tools') return chat
  const names = new Set(allowed?.tools?.map((tool) => tool.function?.name ?? tool.name))
  return {
    ...chat,
    tools: tools?.filter((tool) => names.has(tool.function?.name)),
    tool_choice: allowed?.mode === 'required' ? 'required' : 'auto',
  }
}
