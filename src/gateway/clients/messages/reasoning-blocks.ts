import { decodeThought, encodeThoughtWithId, isEncodedThought } from '#chat/thought-encoding.ts'
import type { ThoughtMetadata } from '#chat/thoughts.ts'

/** The signature of reasoning, which clients send back. Anthropic's signature stays unchanged. */
export function toSignature(metadata: ThoughtMetadata): string | undefined {
  return isAnthropicReasoning(metadata) ? metadata.signature : encodeThoughtWithId(metadata)
}

/** The signature of encrypted reasoning. */
export function toRedactedData(metadata: ThoughtMetadata): string | undefined {
  return isAnthropicReasoning(metadata) ? metadata.encrypted : encodeThoughtWithId(metadata)
}

/** Whether reasoning came from Anthropic's API. Reasoning from a chat API is sent back in the form of chats. */
const isAnthropicReasoning = ({ format, via }: ThoughtMetadata) => format === 'anthropic-claude-v1' && via === undefined

type ThinkingBlock = { type?: unknown; thinking?: unknown; signature?: unknown; data?: unknown }

/** The reasoning of a block that a client sent back. Undefined without a signature. */
export function readReasoningBlock({ type, thinking, signature, data }: ThinkingBlock) {
  const text = typeof thinking === 'string' ? thinking : ''
  // The signature of readable reasoning, or the data of redacted reasoning.
  const opaqueValue = type === 'redacted_thinking' ? data : signature
  if (typeof opaqueValue !== 'string' || opaqueValue === '') return undefined
  if (isEncodedThought(opaqueValue)) {
    const decoded = decodeThought(opaqueValue, undefined)
    return decoded && { text, ...decoded }
  }
  const format = 'anthropic-claude-v1' as const
  return type === 'redacted_thinking'
    ? { text: '', format, encrypted: opaqueValue }
    : { text, format, signature: opaqueValue }
}
