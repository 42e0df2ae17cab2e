import type { Message } from './message.ts'

/**
 * The format of reasoning blocks: only a provider of the same format can continue from them. The names are those of OpenRouter's
 * `reasoning_details`, which clients know.
 */
type ThoughtFormat = (typeof thoughtFormats)[number]
export const thoughtFormats = ['anthropic-claude-v1', 'openai-responses-v1', 'google-gemini-v1'] as const

/**
 * Where a chat message has an unsigned thought: in a field of this name, in a content part of the type `thinking`, or
 * between tags in its text.
 */
const thoughtFields = ['reasoning', 'reasoning_content', 'thinking', 'tagged'] as const
type ThoughtField = (typeof thoughtFields)[number]

export function isThoughtField(value: unknown): value is ThoughtField {
  return thoughtFields.some((field) => field === value)
}

/** The path of the signature of a call at Google's chat server. */
export const googleSignaturePath = 'extra_content.google.thought_signature'

/** Paths of signatures at other chat servers. The second one is LiteLLM's. */
export const signaturePath =
  /^(?:extra_content\.\w{1,50}\.thought_signature|provider_specific_fields\.thought_signature|thought_?[Ss]ignature)$/

/** Metadata by which a provider recognises its thought in a later turn. */
export type ThoughtMetadata = {
  /** One of the formats above, or another name from a gateway. */
  format?: string
  /** Set for reasoning details of a chat-completions server, which are sent back to such servers. */
  via?: 'chat'
  /** Set if the text is a summary of the thought. */
  isSummary?: true
  /** The field of the chat message that had unsigned reasoning. It is sent back to the same model in this field. */
  field?: ThoughtField
  /** The id of the model that wrote unsigned reasoning. */
  by?: string
  /** Proves that the text is the provider's own. */
  signature?: string
  /** The thought itself, readable for the provider only. */
  encrypted?: string
  /** The provider's id for the thought, or for the tool call that followed it. */
  id?: string
  /** Where a call or message of a chat server had the signature, if it is not Google's path. */
  path?: string
}

/** A complete thought in an assistant message. */
export type Thought = { text: string } & ThoughtMetadata

/** A piece of a thought in the `reasoning_details` of chunks and messages. */
export type ReasoningDetail = {
  type: 'reasoning.text' | 'reasoning.summary' | 'reasoning.encrypted'
  text?: string
  summary?: string
  signature?: string | null
  data?: string
  id?: string | null
  format?: string | null
  index?: number
  /** The origin of an unsigned thought, as older versions stored it. Newer ones encode it in the id. */
  field?: ThoughtField
  by?: string
}

/** Whether the thought is complete after this piece. */
export function isThoughtEnd({ signature, encrypted }: ThoughtMetadata): boolean {
  return signature !== undefined || encrypted !== undefined
}

/**
 * Returns the details of a thought for clients, which send them back. Empty if no provider would recognise them. The
 * id shows whether the thought was translated or came from a chat-completions provider.
 */
export function toReasoningDetails(thought: Thought, index: number): ReasoningDetail[] {
  const { text, format, via, signature, encrypted, field, by } = thought
  if (field !== undefined && by !== undefined) return [unsignedDetail({ text, field, by }, index)]
  if (format === undefined && via === undefined) return []
  const id = via === 'chat' ? chatId(thought) : translatedId(thought.id)
  const commonFields = { ...(id !== undefined && { id }), ...(format !== undefined && { format }), index }
  const details: ReasoningDetail[] = []
  if (signature !== undefined) details.push({ type: 'reasoning.text', text, signature, ...commonFields })
  else if (text && (thought.isSummary || format === 'openai-responses-v1'))
    details.push({ type: 'reasoning.summary', summary: text, ...commonFields })
  else if (text) details.push({ type: 'reasoning.text', text, ...commonFields })
  if (encrypted !== undefined) details.push({ type: 'reasoning.encrypted', data: encrypted, ...commonFields })
  return details
}

/** The origin of an unsigned thought: its position in the chat message and the id of the model. */
type Origin = { field: ThoughtField; by: string }

/** Encodes the origin in the id, because clients drop unknown fields. A format is set, or they drop the detail. */
function unsignedDetail({ text, field, by }: { text: string } & Origin, index: number): ReasoningDetail {
  return { type: 'reasoning.text', text, id: `${field}:${by}`, format: 'unknown', index }
}

/** Returns the origin of an unsigned thought; undefined for other details. */
export function readOrigin({ id, field, by }: ReasoningDetail): Origin | undefined {
  if (isThoughtField(field) && typeof by === 'string') return { field, by }
  const [, encodedField, model] = /^([a-z_]+):(.+)$/s.exec(typeof id === 'string' ? id : '') ?? []
  return isThoughtField(encodedField) && model !== undefined ? { field: encodedField, by: model } : undefined
}

/** The path of a signature is encoded in the id, because clients drop unknown fields. */
const chatId = ({ id, path }: ThoughtMetadata) => (path === undefined ? id : `${path}:${id ?? ''}`)

/** Returns the call that a chat server signed, undefined for a message, and the path of the signature. */
export function readSigned({ id }: ReasoningDetail): { id: string | undefined; path: string } {
  const [path, ...rest] = typeof id === 'string' ? id.split(':') : []
  if (path === undefined || rest.length === 0 || !signaturePath.test(path))
    return { id: id ?? undefined, path: googleSignaturePath }
  return { id: rest.join(':') || undefined, path }
}

const translatedPrefix = 'native'

function translatedId(id: string | undefined): string {
  return id === undefined ? translatedPrefix : `${translatedPrefix}:${id}`
}

/** Whether the detail was translated from a thought of another protocol. */
export function isTranslated({ id }: ReasoningDetail): boolean {
  return typeof id === 'string' && (id === translatedPrefix || id.startsWith(`${translatedPrefix}:`))
}

/** Returns the id that the provider gave to the thought. */
function providerId(detail: ReasoningDetail): string | undefined {
  const { id } = detail
  if (typeof id !== 'string' || id === translatedPrefix) return undefined
  return isTranslated(detail) ? id.slice(translatedPrefix.length + 1) : readSigned(detail).id
}

/**
 * Groups pieces into thoughts: adjacent pieces of one format, up to a signature or encrypted data. Clients send the pieces
 * back as received, or joined.
 */
export function groupThoughtPieces(details: readonly unknown[]): ReasoningDetail[][] {
  const thoughts: ReasoningDetail[][] = []
  let isOpen = false
  for (const detail of details.filter(isDetail)) {
    const last = thoughts.at(-1)
    if (isOpen && (last?.[0]?.format ?? undefined) === (detail.format ?? undefined)) last?.push(detail)
    else thoughts.push([detail])
    isOpen = typeof detail.signature !== 'string' && typeof detail.data !== 'string'
  }
  return thoughts
}

/** Returns the text of one piece of a thought. */
export function pieceText({ text, summary }: ReasoningDetail): string {
  if (typeof text === 'string') return text
  return typeof summary === 'string' ? summary : ''
}

/**
 * Returns the complete thoughts of an assistant message that a client sends back. Thoughts of other formats are skipped.
 */
export function readThoughts(message: Message, format: ThoughtFormat): Thought[] {
  return groupThoughtPieces(reasoningDetails(message)).flatMap((pieces) => {
    const { signature, data, format: pieceFormat } = pieces.at(-1)!
    const id = providerId(pieces.at(-1)!)
    if ((pieceFormat ?? format) !== format) return []
    if (typeof signature !== 'string' && typeof data !== 'string') return []
    const thought = {
      text: pieces.map(pieceText).join(''),
      format,
      ...(typeof signature === 'string' && { signature }),
      ...(typeof data === 'string' && { encrypted: data }),
      ...(id !== undefined && { id }),
    }
    return [thought]
  })
}

/** Returns the reasoning details of a message. Other values in the list are skipped. */
export function reasoningDetails(message: object): ReasoningDetail[] {
  const { reasoning_details: details, thinking_blocks: blocks } = message as Record<string, unknown>
  if (Array.isArray(details)) return details.filter(isDetail)
  return Array.isArray(blocks) ? toBlockDetails(blocks) : []
}

/** The id of details that a server sent as `thinking_blocks`. */
const blocksId = 'thinking_blocks'

type ThinkingBlock = { type?: unknown; thinking?: unknown; signature?: unknown; data?: unknown }

/** The details of Anthropic's thinking blocks, which LiteLLM has in messages. */
export function toBlockDetails(blocks: readonly unknown[]): ReasoningDetail[] {
  const shared = { id: blocksId, format: 'anthropic-claude-v1' as const }
  return blocks.filter(isDetail).map((block): ReasoningDetail => {
    const { type, thinking, signature, data } = block as ThinkingBlock
    if (type === 'redacted_thinking') return { type: 'reasoning.encrypted', data: String(data ?? ''), ...shared }
    const signed = typeof signature === 'string' && signature !== '' ? { signature } : {}
    return { type: 'reasoning.text', text: typeof thinking === 'string' ? thinking : '', ...signed, ...shared }
  })
}

/** The complete thinking blocks from which details were made. */
export function toThinkingBlocks(details: readonly ReasoningDetail[]): object[] {
  return groupThoughtPieces(details.filter(({ id }) => id === blocksId)).flatMap((pieces): object[] => {
    const { signature, data } = pieces.at(-1)!
    if (typeof data === 'string') return [{ type: 'redacted_thinking', data }]
    return signature ? [{ type: 'thinking', thinking: pieces.map(pieceText).join(''), signature }] : []
  })
}

function isDetail(detail: unknown): detail is ReasoningDetail {
  return typeof detail === 'object' && detail !== null
}
