import { isOurSeal, sealWhole, unseal } from '#chat/sealed-thought.ts'
import type { ThoughtMark } from '#chat/thoughts.ts'

/** A thought's mark as a signature, which clients send back unread. Anthropic's own stays as it is. */
export function signatureOf(mark: ThoughtMark): string | undefined {
  return isAnthropics(mark) ? mark.signature : sealWhole(mark)
}

/** The same of a thought that nobody may read. */
export function redactedData(mark: ThoughtMark): string | undefined {
  return isAnthropics(mark) ? mark.encrypted : sealWhole(mark)
}

/** Whether the thought came from Anthropic's own API. One that came by a chat API goes back in the form of chats. */
const isAnthropics = ({ format, via }: ThoughtMark) => format === 'anthropic-claude-v1' && via === undefined

type ThinkingBlock = { type?: unknown; thinking?: unknown; signature?: unknown; data?: unknown }

/** The thought of a block that came back, by whomever it was made. Undefined without any mark. */
export function thoughtOf({ type, thinking, signature, data }: ThinkingBlock) {
  const text = typeof thinking === 'string' ? thinking : ''
  const mark = type === 'redacted_thinking' ? data : signature
  if (typeof mark !== 'string' || mark === '') return undefined
  if (isOurSeal(mark)) {
    const known = unseal(mark, undefined)
    return known && { text, ...known }
  }
  const format = 'anthropic-claude-v1' as const
  return type === 'redacted_thinking' ? { text: '', format, encrypted: mark } : { text, format, signature: mark }
}
