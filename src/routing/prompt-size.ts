import type { ChatRequest } from '#chat/chat-request.ts'

/** The characters of all text in a request, tools included: what its tokens are estimated from. */
export function charactersOf(chat: ChatRequest): number {
  let characters = 0
  for (const message of chat.messages) {
    if (typeof message.content === 'string') characters += message.content.length
    else for (const part of message.content ?? []) characters += part.text?.length ?? 0
  }
  return characters + (chat.tools ? JSON.stringify(chat.tools).length : 0)
}
