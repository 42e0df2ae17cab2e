import type { ChatRequest } from '#chat/chat-request.ts'

type Choice = {
  type?: string
  allowed_tools?: { mode?: string; tools?: { name?: string; function?: { name?: string } }[] }
}

/** The keywords of all protocols for a tool choice. `any` of Anthropic and Mistral is `required` in other protocols. */
const choiceKeywords = new Map<unknown, 'auto' | 'none' | 'required'>([
  ['auto', 'auto'],
  ['none', 'none'],
  ['required', 'required'],
  ['any', 'required'],
])

/**
 * Reads the keyword of a tool choice. Some clients and presets send it as the type of an object: `{ "type": "any" }`.
 * @returns undefined for other values.
 */
export function readChoiceKeyword(choice: unknown): 'auto' | 'none' | 'required' | undefined {
  return choiceKeywords.get(choice)
}

/**
 * Reduces the tool choice to what every server supports: a keyword, or one function. Few servers support a choice among several
 * tools (`allowed_tools`), so only these tools are sent instead.
 */
export function simplifyToolChoice(chat: ChatRequest): ChatRequest {
  const { tool_choice: choice, tools } = chat
  if (typeof choice !== 'object' || choice === null) return chat
  const { type, allowed_tools: allowed } = choice as Choice
  const keyword = readChoiceKeyword(type)
  if (keyword) return { ...chat, tool_choice: keyword }
  if (type !== 'allowed_tools') return chat
  const names = new Set(allowed?.tools?.map((tool) => tool.function?.name ?? tool.name))
  return {
    ...chat,
    tools: tools?.filter((tool) => names.has(tool.function?.name)),
    tool_choice: allowed?.mode === 'required' ? 'required' : 'auto',
  }
}
