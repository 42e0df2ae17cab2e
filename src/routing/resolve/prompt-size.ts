import type { ChatRequest } from '#chat/chat-request.ts'
import { bytesPerToken, estimateTokens } from '#lib/token-estimate.ts'

/** The characters of all text in a request, tools included: what it needs of a context at least. */
export function charactersOf(chat: ChatRequest): number {
  let characters = 0
  for (const message of chat.messages) {
    if (typeof message.content === 'string') characters += message.content.length
    else for (const part of message.content ?? []) characters += part.text?.length ?? 0
  }
  return characters + (chat.tools ? JSON.stringify(chat.tools).length : 0)
}

/** The assumed tokens of a medium: those of an ordinary image. */
const tokensOfMedium = 1000

/** An estimate of the prompt's tokens, for requests that no provider counted. */
export function estimatePrompt(chat: ChatRequest): number {
  const [bytes, media] = textAndMedia(chat)
  return estimateTokens(bytes) + media * tokensOfMedium
}

function textAndMedia(chat: ChatRequest): [bytes: number, media: number] {
  let [bytes, media] = [chat.tools ? bytesOf(chat.tools) : 0, 0]
  for (const { content, role: _role, ...more } of chat.messages) {
    // Calls, their results' names, thoughts of earlier turns.
    for (const name in more) bytes += bytesOf(more[name as keyof typeof more])
    if (!Array.isArray(content)) bytes += bytesOf(content)
    else
      for (const part of content) {
        if (part.text === undefined) media++
        else bytes += bytesOf(part.text)
      }
  }
  return [bytes, media]
}

/** A message has a frame, and tools come with instructions. */
const tokensOfMessage = 8
const tokensAboutTools = 350
const tokensOfLargestImage = 1600

/** The same, rather too high than too low: for who asks beforehand. */
export function generousPrompt(chat: ChatRequest): number {
  const [bytes, media] = textAndMedia(chat)
  const frames = chat.messages.length * tokensOfMessage + (chat.tools?.length ? tokensAboutTools : 0)
  return estimateTokens(bytes, bytesPerToken.fewest) + frames + media * tokensOfLargestImage
}

function bytesOf(value: unknown): number {
  if (value == null) return 0
  return Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))
}
