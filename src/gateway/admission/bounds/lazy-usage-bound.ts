import type { ChatRequest } from '#chat/chat-request.ts'
import type { TokenCounts } from '#chat/events.ts'
import type { BodiesWithProtocol, EndpointWithModel } from '../../pricing/extra-usage-bound.ts'
import { requestFrameTokens } from './prompt-bound.ts'
import { computeUsageBound, maxOutputTokens, type ProtocolTraits, type UsageBound } from './usage-bound.ts'

/** The usage bound of a request at one endpoint, which is computed only if a quick check is inconclusive. */
export type RequestBound = {
  /** Computed at first use: counts the tokens of the prompt. */
  readonly exactBound: UsageBound
  /** A quick check: true if only text is billed and the counts are certainly within the bound. False is inconclusive. */
  isWithinBound: (tokens: TokenCounts) => boolean
}

/** Computes the exact bound only if the tokens that a provider reports are not obviously within it, which is rare. */
export class LazyUsageBound implements RequestBound {
  readonly #bodies: BodiesWithProtocol
  readonly #offer: EndpointWithModel
  readonly #providerProtocol: ProtocolTraits
  #exact: UsageBound | undefined
  /** Undefined until computed; -1 if the request may contain more than text. */
  #characters: number | undefined

  constructor(bodies: BodiesWithProtocol, offer: EndpointWithModel, providerProtocol: ProtocolTraits) {
    this.#bodies = bodies
    this.#offer = offer
    this.#providerProtocol = providerProtocol
  }

  get exactBound(): UsageBound {
    this.#exact ??= computeUsageBound(this.#bodies, this.#offer, this.#providerProtocol)
    return this.#exact
  }

  isWithinBound({ prompt, completion }: TokenCounts): boolean {
    this.#characters ??= countCharacters(this.#bodies, this.#offer)
    if (this.#characters === -1) return false
    const { endpoint } = this.#offer
    // The bound of a prompt is at least its bytes, and each character has at least one.
    if (prompt > Math.min(requestFrameTokens + this.#characters, endpoint.contextLength)) return false
    return completion <= maxOutputTokens(this.#bodies.chat, endpoint, this.#providerProtocol)
  }
}

/** Fields that add nothing but text, and neither lengthen nor multiply the response. */
const plainFields: ReadonlySet<string> = new Set([
  'model',
  'models',
  'messages',
  'stream',
  'stream_options',
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'stop',
  'max_tokens',
  'max_completion_tokens',
  'user',
  'provider',
  'session_id',
  'usage',
  'metadata',
  'store',
  'prompt_cache_key',
  'safety_identifier',
])

const plainMessageFields: ReadonlySet<string> = new Set(['role', 'content', 'name'])

/** The characters of a chat request that contains only text; -1 if it may contain more. */
function countCharacters({ chat, body }: BodiesWithProtocol, { model }: EndpointWithModel): number {
  // After a translation or a content filter, either form can be the longer one.
  if (chat !== body || !model || !model.outputModalities.every((modality) => modality === 'text')) return -1
  for (const name in chat) if (!plainFields.has(name)) return -1
  let characters = 0
  for (const message of chat.messages as readonly ChatRequest['messages'][number][]) {
    for (const name in message) if (!plainMessageFields.has(name)) return -1
    const length = countContentCharacters(message.content)
    if (length === -1) return -1
    characters += length
  }
  return characters
}

function countContentCharacters(content: ChatRequest['messages'][number]['content']): number {
  if (typeof content === 'string') return content.length
  if (!Array.isArray(content)) return -1
  let characters = 0
  for (const part of content) {
    if (part.type !== 'text' || typeof part.text !== 'string') return -1
    for (const name in part) if (name !== 'type' && name !== 'text') return -1
    characters += part.text.length
  }
  return characters
}
