import type { Message } from './message.ts'

/** Whose thoughts they are: only the same kind of provider can go on from them. The names are those clients know. */
export type ThoughtFormat = (typeof thoughtFormats)[number]
const thoughtFormats = ['anthropic-claude-v1', 'openai-responses-v1', 'google-gemini-v1'] as const

/** What a provider adds to a thought, to know it as its own on a later turn. */
export type ThoughtMark = {
  format?: ThoughtFormat
  /** Proves that the text is the provider's own. */
  signature?: string
  /** The thought itself, readable for the provider only. */
  encrypted?: string
  /** What the provider calls the thought, or the tool call that it led to. */
  id?: string
}

/** A whole thought, as an assistant message holds it. */
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
}

/** Whether nothing more is added to the thought after this piece. */
export function endsThought({ signature, encrypted }: ThoughtMark): boolean {
  return signature !== undefined || encrypted !== undefined
}

/** A piece of a thought for clients to keep, and to send back. None where no provider would know it again. */
export function detailsOf({ text, format, signature, encrypted, id }: Thought, index: number): ReasoningDetail[] {
  if (format === undefined) return []
  const shared = { ...(id !== undefined && { id }), format, index }
  const details: ReasoningDetail[] = []
  if (signature !== undefined) details.push({ type: 'reasoning.text', text, signature, ...shared })
  else if (text && format === 'openai-responses-v1')
    details.push({ type: 'reasoning.summary', summary: text, ...shared })
  else if (text) details.push({ type: 'reasoning.text', text, ...shared })
  if (encrypted !== undefined) details.push({ type: 'reasoning.encrypted', data: encrypted, ...shared })
  return details
}

/**
 * The pieces of each thought in a list: what stands together in one format, up to a signature or encrypted data. Clients
 * send the pieces as they came or joined.
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

/** What one piece adds to the text of its thought. */
export function textOfPiece({ text, summary }: ReasoningDetail): string {
  return typeof text === 'string' ? text : typeof summary === 'string' ? summary : ''
}

/**
 * The whole thoughts that a client sends back with an assistant message, as far as a provider of this format may take
 * them for its own.
 */
export function thoughtsOf(message: Message, format: ThoughtFormat): Thought[] {
  return thoughtPieces(detailsIn(message)).flatMap((pieces) => {
    const { signature, data, id, format: told } = pieces.at(-1)!
    if ((told ?? format) !== format) return []
    if (typeof signature !== 'string' && typeof data !== 'string') return []
    const thought = {
      text: pieces.map(textOfPiece).join(''),
      format,
      ...(typeof signature === 'string' && { signature }),
      ...(typeof data === 'string' && { encrypted: data }),
      ...(typeof id === 'string' && { id }),
    }
    return [thought]
  })
}

/** The message without thoughts that only their own provider takes; elsewhere they are refused as unknown. */
export function withoutThoughts<T extends object>(message: T): T {
  if (!('reasoning_details' in message) || !Array.isArray(message.reasoning_details)) return message
  const { reasoning_details: _details, ...rest } = message
  const kept = detailsIn(message).filter(({ format }) => !thoughtFormats.some((known) => known === format))
  return (kept.length > 0 ? { ...rest, reasoning_details: kept } : rest) as T
}

/** What is no detail at all tells nobody anything, and is passed over. */
function detailsIn(message: object): ReasoningDetail[] {
  const { reasoning_details: details } = message as { reasoning_details?: unknown }
  return Array.isArray(details) ? details.filter(isDetail) : []
}

function isDetail(detail: unknown): detail is ReasoningDetail {
  return typeof detail === 'object' && detail !== null
}
