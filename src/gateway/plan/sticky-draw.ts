import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'

type StickyRequest = { caller: { workspaceId: string }; sessionId: string | undefined; chat: ChatRequest }

/**
 * The random draw of each endpoint, from 0 to 1. It depends only on the endpoint's id and on what requests of one
 * conversation have in common: so every server draws the same numbers, and none has to store them.
 */
export function drawsFor(asked: StickyRequest): (endpoint: Pick<Endpoint, 'id'>) => number {
  // Made with the first draw: a model with one endpoint needs none.
  let seed: number | undefined
  return ({ id }) => {
    seed ??= seedOf(asked)
    return drawOf(seed, id)
  }
}

/** Session ids and cache keys are scoped to the workspace, because others can choose the same names. */
function seedOf({ caller, sessionId, chat }: StickyRequest): number {
  const seed = hashed(caller.workspaceId, 0)
  if (sessionId) return hashed(sessionId, hashed('session', seed))
  if (chat.prompt_cache_key) return hashed(chat.prompt_cache_key, hashed('key', seed))
  return conversationOf(chat, seed)
}

export function drawOf(seed: number, id: string): number {
  return (mixed(hashed(id, mixed(seed))) + 0.5) / 2 ** 32
}

/** The number of characters read at the start and at the end of a text. */
const bound = 1024

/**
 * Identifies a conversation by its start, which later requests repeat and providers cache: the head of the first system
 * message, and both ends of the first message after the system messages. The end of a system message often contains the
 * time, so it is not used.
 */
function conversationOf({ messages }: ChatRequest, seed: number): number {
  let hash = seed
  const first = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  if (first !== 0) for (const text of textsOf(messages[0]?.content)) hash = hashed(text.slice(0, bound), hash)
  if (first < 0) return hash
  for (const text of textsOf(messages[first]?.content))
    hash =
      text.length <= 2 * bound ? hashed(text, hash) : hashed(text.slice(-bound), hashed(text.slice(0, bound), hash))
  return hash
}

/** The most parts of a message that are read. */
const mostParts = 8

function textsOf(content: ChatRequest['messages'][number]['content']): string[] {
  if (typeof content === 'string') return [content]
  return (content ?? []).slice(0, mostParts).map((part) => {
    const { url } = (part.image_url ?? {}) as { url?: unknown }
    return part.text ?? (typeof url === 'string' ? url : part.type)
  })
}

/** FNV-1a. */
function hashed(text: string, seed: number): number {
  let hash = seed ^ 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  // The border between two texts is part of the hash.
  return Math.imul(hash ^ text.length, 0x01000193)
}

/** The last step of MurmurHash3: every bit of what goes in turns half of what comes out. */
function mixed(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}
