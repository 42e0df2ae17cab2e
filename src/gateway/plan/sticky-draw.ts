import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'

type StickyRequest = { caller: { workspaceId: string }; sessionId: string | undefined; chat: ChatRequest }

/**
 * The random draw of each endpoint, between 0 and 1. It is a hash of the endpoint's id and the conversation, so every
 * server draws the same numbers without storing them.
 */
export function createStickyDraw(request: StickyRequest): (endpoint: Pick<Endpoint, 'id'>) => number {
  // Computed at the first draw: a model with one endpoint needs none.
  let seed: number | undefined
  return ({ id }) => {
    seed ??= computeSeed(request)
    return computeDraw(seed, id)
  }
}

/** Session ids and cache keys are scoped to the workspace, because others can choose the same names. */
function computeSeed({ caller, sessionId, chat }: StickyRequest): number {
  const seed = fnv1a(caller.workspaceId, 0)
  if (sessionId) return fnv1a(sessionId, fnv1a('session', seed))
  if (chat.prompt_cache_key) return fnv1a(chat.prompt_cache_key, fnv1a('key', seed))
  return hashConversation(chat, seed)
}

/** The draw of one endpoint. Adding 0.5 keeps it above 0, because its logarithm is used (`drawByWeight` in `endpoint-order.ts`). */
export function computeDraw(seed: number, id: string): number {
  return (mixBits(fnv1a(id, mixBits(seed))) + 0.5) / 2 ** 32
}

/** The number of characters read at the start and at the end of a text. */
const maxCharacters = 1024

/**
 * Identifies a conversation by its start, which later requests repeat and providers cache. It reads the head of the first
 * system message, and both ends of the first message after the system messages. The end of a system message often
 * contains the time, so it is not used.
 */
function hashConversation({ messages }: ChatRequest, seed: number): number {
  let hash = seed
  const first = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  if (first !== 0) for (const text of textsOf(messages[0]?.content)) hash = fnv1a(text.slice(0, maxCharacters), hash)
  if (first < 0) return hash
  for (const text of textsOf(messages[first]?.content))
    hash =
      text.length <= 2 * maxCharacters
        ? fnv1a(text, hash)
        : fnv1a(text.slice(-maxCharacters), fnv1a(text.slice(0, maxCharacters), hash))
  return hash
}

/** The maximum number of parts of a message that are read. */
const maxParts = 8

function textsOf(content: ChatRequest['messages'][number]['content']): string[] {
  if (typeof content === 'string') return [content]
  return (content ?? []).slice(0, maxParts).map((part) => {
    const { url } = (part.image_url ?? {}) as { url?: unknown }
    return part.text ?? (typeof url === 'string' ? url : part.type)
  })
}

/** FNV-1a. */
function fnv1a(text: string, seed: number): number {
  let hash = seed ^ 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  // Includes the length, so that "ab" + "c" differs from "a" + "bc".
  return Math.imul(hash ^ text.length, 0x01000193)
}

/** The finalizer of MurmurHash3: every input bit changes half of the output bits. */
function mixBits(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}
