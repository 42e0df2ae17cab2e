import type { Message } from './message.ts'

/**
 * The format of reasoning blocks: only a provider of the same format can continue from them. Clients know these names.
 */
export type ThoughtFormat = (typeof thoughtFormats)[number]
const thoughtFormats = ['anthropic-claude-v1', 'openai-responses-v1', 'google-gemini-v1'] as const

/** The places of an unsigned thought in a chat message: a member of this name, or a part of its content. */
const thoughtPlaces = ['reasoning', 'reasoning_content', 'thinking'] as const
export type ThoughtPlace = (typeof thoughtPlaces)[number]

export function isThoughtPlace(value: unknown): value is ThoughtPlace {
  return thoughtPlaces.some((place) => place === value)
}

/** A provider's addition to a thought, by which it recognises the thought in a later turn. */
export type ThoughtMark = {
  /** One of the formats above, or another name from a gateway. */
  format?: string
  /** Reasoning from a detail of a chat, which is sent back to chat servers. */
  via?: 'chat'
  /** A summary, and not the thought itself. */
  isSummary?: true
  /** The member of the chat message that contained unsigned reasoning, and in which it is sent back to the same model. */
  field?: ThoughtPlace
  by?: string
  /** Proves that the text is the provider's own. */
  signature?: string
  /** The thought itself, readable for the provider only. */
  encrypted?: string
  /** The provider's id for the thought, or for the tool call that followed it. */
  id?: string
}

/** A complete thought in an assistant message. */
export type Thought = { text: string } & ThoughtMark

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
  /** Older versions wrote the origin of an unsigned thought into these members instead of the id. */
  field?: ThoughtPlace
  by?: string
}

/** Whether the thought is complete after this piece. */
export function endsThought({ signature, encrypted }: ThoughtMark): boolean {
  return signature !== undefined || encrypted !== undefined
}

/**
 * A piece of a thought for clients to keep and send back. Empty if no provider would recognise it. The id, which
 * clients keep, shows whether a thought was translated or came from a chat provider.
 */
export function detailsOf(thought: Thought, index: number): ReasoningDetail[] {
  const { text, format, via, signature, encrypted, field, by } = thought
  if (field !== undefined && by !== undefined) return [unsignedDetail({ text, field, by }, index)]
  if (format === undefined && via === undefined) return []
  const id = via === 'chat' ? thought.id : thought.id === undefined ? translated : `${translated}:${thought.id}`
  const shared = { ...(id !== undefined && { id }), ...(format !== undefined && { format }), index }
  const details: ReasoningDetail[] = []
  if (signature !== undefined) details.push({ type: 'reasoning.text', text, signature, ...shared })
  else if (text && (thought.isSummary || format === 'openai-responses-v1'))
    details.push({ type: 'reasoning.summary', summary: text, ...shared })
  else if (text) details.push({ type: 'reasoning.text', text, ...shared })
  if (encrypted !== undefined) details.push({ type: 'reasoning.encrypted', data: encrypted, ...shared })
  return details
}

/** The origin of an unsigned thought: its position in the chat message and the id of the model. */
export type Origin = { field: ThoughtPlace; by: string }

/** Clients drop members that they do not know, and unsigned thoughts without a format. They keep the id. */
function unsignedDetail({ text, field, by }: { text: string } & Origin, index: number): ReasoningDetail {
  return { type: 'reasoning.text', text, id: `${field}:${by}`, format: 'unknown', index }
}

/** The origin of an unsigned thought; undefined for any other detail. */
export function originOf({ id, field, by }: ReasoningDetail): Origin | undefined {
  if (isThoughtPlace(field) && typeof by === 'string') return { field, by }
  const [, place, model] = /^([a-z_]+):(.+)$/s.exec(typeof id === 'string' ? id : '') ?? []
  return isThoughtPlace(place) && model !== undefined ? { field: place, by: model } : undefined
}

const translated = 'native'

/** Whether the detail was translated from a thought of another protocol. */
export function isTranslated({ id }: ReasoningDetail): boolean {
  return typeof id === 'string' && (id === translated || id.startsWith(`${translated}:`))
}

/** The provider's id for it. */
function ownId(detail: ReasoningDetail): string | undefined {
  const { id } = detail
  if (typeof id !== 'string' || id === translated) return undefined
  return isTranslated(detail) ? id.slice(translated.length + 1) : id
}

/**
 * Groups pieces into thoughts: adjacent pieces of one format, up to a signature or encrypted data. Clients send the pieces
 * back as received, or joined.
 */
export function thoughtPieces(details: readonly unknown[]): ReasoningDetail[][] {
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

/** The text that one piece adds to its thought. */
export function textOfPiece({ text, summary }: ReasoningDetail): string {
  return typeof text === 'string' ? text : typeof summary === 'string' ? summary : ''
}

/**
 * The complete thoughts that a client sends back with an assistant message, if a provider of this format can accept
 * them.
 */
export function thoughtsOf(message: Message, format: ThoughtFormat): Thought[] {
  return thoughtPieces(detailsIn(message)).flatMap((pieces) => {
    const { signature, data, format: pieceFormat } = pieces.at(-1)!
    const id = ownId(pieces.at(-1)!)
    if ((pieceFormat ?? format) !== format) return []
    if (typeof signature !== 'string' && typeof data !== 'string') return []
    const thought = {
      text: pieces.map(textOfPiece).join(''),
      format,
      ...(typeof signature === 'string' && { signature }),
      ...(typeof data === 'string' && { encrypted: data }),
      ...(id !== undefined && { id }),
    }
    return [thought]
  })
}

/** Values that are not details are skipped. */
export function detailsIn(message: object): ReasoningDetail[] {
  const { reasoning_details: details } = message as { reasoning_details?: unknown }
  return Array.isArray(details) ? details.filter(isDetail) : []
}

function isDetail(detail: unknown): detail is ReasoningDetail {
  return typeof detail === 'object' && detail !== null
}
