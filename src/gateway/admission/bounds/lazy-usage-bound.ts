import type { ChatRequest } from '#chat/chat-request.ts'
import type { TokenCounts } from '#chat/events.ts'
import type { Forms, Offer } from '../../pricing/bill.ts'
import { tokensOfRequest } from './prompt-bound.ts'
import { mostOfOneAnswer, type ProtocolTraits, type UsageBound, usageBoundOf } from './usage-bound.ts'

/** The usage bound of a request at one endpoint, as far as a count needs it. */
export type RequestBound = {
  /** Measured when it is first asked for. */
  readonly whole: UsageBound
  /**
   * Whether the request is text alone, with nothing else that is billed, and the counts are within its bound for sure.
   * False says nothing.
   */
  surelyAllows: (tokens: TokenCounts) => boolean
}

/** Most counts are far below the bound of their request: then it need not be measured. */
export class LazyUsageBound implements RequestBound {
  readonly #forms: Forms
  readonly #offer: Offer
  readonly #providerProtocol: ProtocolTraits
  #whole: UsageBound | undefined
  /** Undefined until it is known; -1 where there may be more than text. */
  #characters: number | undefined

  constructor(forms: Forms, offer: Offer, providerProtocol: ProtocolTraits) {
    this.#forms = forms
    this.#offer = offer
    this.#providerProtocol = providerProtocol
  }

  get whole(): UsageBound {
    this.#whole ??= usageBoundOf(this.#forms, this.#offer, this.#providerProtocol)
    return this.#whole
  }

  surelyAllows({ prompt, completion }: TokenCounts): boolean {
    this.#characters ??= plainCharacters(this.#forms, this.#offer)
    if (this.#characters === -1) return false
    const { endpoint } = this.#offer
    // No character is shorter than a byte, and the bound of the prompt is no lower than its bytes.
    if (prompt > Math.min(tokensOfRequest + this.#characters, endpoint.contextLength)) return false
    return completion <= mostOfOneAnswer(this.#forms.chat, endpoint, this.#providerProtocol)
  }
}

/** Fields of a chat that neither bring anything but text nor make an answer longer, or several of it. */
const plainFields: ReadonlySet<string> = new Set([
  ...['model', 'models', 'messages', 'stream', 'stream_options', 'temperature', 'top_p', 'top_k', 'min_p', 'seed'],
  ...['frequency_penalty', 'presence_penalty', 'stop', 'max_tokens', 'max_completion_tokens', 'user', 'provider'],
  ...['session_id', 'usage', 'metadata', 'store', 'prompt_cache_key', 'safety_identifier'],
])

const plainMembers: ReadonlySet<string> = new Set(['role', 'content', 'name'])

/** How many characters of text there are in a chat that is text alone; -1 where there may be more. */
function plainCharacters({ chat, body }: Forms, { model }: Offer): number {
  // In the words of another protocol, or as filters left it, one may be longer than the other.
  if (chat !== body || !model || !model.outputModalities.every((modality) => modality === 'text')) return -1
  for (const name in chat) if (!plainFields.has(name)) return -1
  let characters = 0
  for (const message of chat.messages as readonly ChatRequest['messages'][number][]) {
    for (const name in message) if (!plainMembers.has(name)) return -1
    const length = plainLength(message.content)
    if (length === -1) return -1
    characters += length
  }
  return characters
}

function plainLength(content: ChatRequest['messages'][number]['content']): number {
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
