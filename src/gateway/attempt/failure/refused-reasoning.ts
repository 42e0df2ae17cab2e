import type { BodiesWithProtocol } from '../../pricing/extra-usage-bound.ts'
import type { Body } from '../../protocol/request-body.ts'
import { isReasoningRefusal } from '../../providers/errors/reasoning-refusals.ts'
import type { AttemptFailure } from './failure.ts'

/** Whether a provider refused a request because it cannot verify the reasoning of earlier turns. */
export const refusesReasoning = ({ kind, providerCode, providerMessage = '' }: AttemptFailure): boolean =>
  kind === 'invalid' && isReasoningRefusal(providerCode, providerMessage)

/**
 * The request without what proves to a provider that the reasoning of earlier turns is its own. The reasoning then counts as
 * that of another provider. Returns the same object if the request has no such reasoning.
 */
export function withoutSignedReasoning(bodies: BodiesWithProtocol): BodiesWithProtocol {
  const chat = withoutSignatures(bodies.chat as Body) as BodiesWithProtocol['chat']
  const body = (bodies.body as unknown) === bodies.chat ? (chat as Body) : withoutSignatures(bodies.body)
  return chat === bodies.chat && body === bodies.body ? bodies : { ...bodies, chat, body }
}

function withoutSignatures(body: Body): Body {
  const messages = mapChanged(body.messages, withoutMessageSignatures)
  const input = mapChanged(body.input, withoutItemSignature)
  if (messages === body.messages && input === body.input) return body
  return { ...body, ...(messages !== undefined && { messages }), ...(input !== undefined && { input }) }
}

/** Maps a list; undefined drops an item. Returns the same value if it is not a list, or nothing changes. */
function mapChanged(list: unknown, change: (item: Body) => Body | undefined): unknown {
  if (!Array.isArray(list)) return list
  const changed = list.map((item: Body | null) => (item === null || typeof item !== 'object' ? item : change(item)))
  return changed.every((item, index) => item === list[index]) ? list : changed.filter((item) => item !== undefined)
}

/** An assistant message of a chat, or of Anthropic's protocol with thinking blocks. */
function withoutMessageSignatures(message: Body): Body {
  if (message.role !== 'assistant') return message
  const { reasoning_details: details, thinking_blocks: blocks, ...rest } = message
  const content = mapChanged(message.content, withoutBlockSignature)
  const hasDetails = details !== undefined || blocks !== undefined
  if (!hasDetails && content === message.content) return message
  return content === message.content ? rest : { ...rest, content }
}

function withoutBlockSignature(block: Body): Body {
  if (block.type === 'thinking') return { ...block, signature: '' }
  return block.type === 'redacted_thinking' ? { ...block, data: '' } : block
}

/** An item of the Responses API. Reasoning with readable content stays without its encrypted form. */
function withoutItemSignature(item: Body): Body | undefined {
  if (item.type !== 'reasoning') return item
  const { encrypted_content: _encrypted, id: _id, ...readable } = item
  return Array.isArray(item.content) && item.content.length > 0 ? readable : undefined
}
