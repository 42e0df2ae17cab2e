import { isOurSeal, sealWhole, unseal } from '#chat/sealed-thought.ts'
import type { ThoughtMark } from '#chat/thoughts.ts'

/** The signature of reasoning, which clients send back. Anthropic's signature stays unchanged. */
export function signatureOf(mark: ThoughtMark): string | undefined {
  return isAnthropics(mark) ? mark.signature : sealWhole(mark)
}

/** The signature of encrypted reasoning. */
export function redactedData(mark: ThoughtMark): string | undefined {
  return isAnthropics(mark) ? mark.encrypted : sealWhole(mark)
}

/** Whether reasoning came from Anthropic's API. Reasoning from a chat API is sent back in the form of chats. */
const isAnthropics = ({ format, via }: ThoughtMark) => format === 'anthropic-claude-v1' && via === undefined

type ThinkingBlock = { type?: unknown; thinking?: unknown; signature?: unknown; data?: unknown }

/** The reasoning of a block that a client sent back. Undefined without a signature. */
export function thoughtOf({ type, thinking, signature, data }: ThinkingBlock) {
  const text = typeof thinking === 'string' ? thinking : ''
  const mark = type === 'redacted_thinking' ? data : signature
  if (typeof mark !== 'string' || mark === '') return undefined
  if (isOurSeal(mark)) {
    const unsealed = unseal(mark, undefined)
    return unsealed && { text, ...unsealed }
  }
  const format = 'anthropic-claude-v1' as const
  return type === 'redacted_thinking' ? { text: '', format, encrypted: mark } : { text, format, signature: mark }
}
