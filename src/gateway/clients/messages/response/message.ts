import { type Citation, type Extras, type TokenCounts, zeroTokens } from '#chat/events.ts'
import { ownValue } from '#platform/core/own-value.ts'
import type { CostNote, ResponseHead } from '../../../protocol/client-protocol.ts'

/** `citations` is absent if there are none, as in Anthropic's responses: the AI SDK refuses null. */
export type TextBlock = { type: 'text'; text: string; citations?: unknown[] }
export type ThinkingBlock = { type: 'thinking'; thinking: string; signature: string }
type RedactedBlock = { type: 'redacted_thinking'; data: string }
export type CallBlock = { type: 'tool_use'; id: string; name: string; input: object; caller: { type: 'direct' } }
export type ResponseBlock = TextBlock | ThinkingBlock | RedactedBlock | CallBlock

export type StopReason = 'end_turn' | 'max_tokens' | 'tool_use' | 'refusal'

/** The message object of the protocol, with the content so far. */
export function toMessageObject(
  { id, model, provider }: ResponseHead,
  content: ResponseBlock[],
  stop_reason: StopReason | null,
  usage: object,
): object {
  const endFields = { ...toStopFields(stop_reason), container: null, diagnostics: null }
  return { id, type: 'message', role: 'assistant', model, provider, content, ...endFields, usage }
}

/** The fields about the end of a message. Other providers do not name the policy of a refusal. */
export function toStopFields(stop_reason: StopReason | null): object {
  const stop_details = stop_reason === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null
  return { stop_reason, stop_sequence: null, stop_details }
}

/**
 * A source as an Anthropic citation. Sources of other providers have no index for a later request, so `encrypted_index` is empty. So is
 * a missing title: versions 5 and 6 of the AI SDK refuse null.
 */
export function toCitation({ url, file, title, quote }: Citation): object {
  const shared = { title: title ?? file?.name ?? '', cited_text: quote ?? '', encrypted_index: '' }
  if (!file) return { type: 'web_search_result_location', url, ...shared }
  const position = { search_result_index: file.index, start_block_index: 0, end_block_index: 1 }
  return { type: 'search_result_location', source: file.id, ...position, ...shared }
}

/** Anthropic counts cache reads and writes separately from the other prompt tokens. */
export function toMessageUsage(tokens: TokenCounts | undefined, cost?: CostNote, extras?: Extras): object {
  const { prompt, completion, cached, cacheWritten, reasoning } = tokens ?? zeroTokens
  return {
    input_tokens: prompt - cached - cacheWritten,
    cache_creation_input_tokens: cacheWritten,
    cache_read_input_tokens: cached,
    cache_creation: null,
    output_tokens: completion,
    output_tokens_details: reasoning > 0 ? { thinking_tokens: reasoning } : null,
    server_tool_use: null,
    service_tier: ownValue(tierNames, extras?.serviceTier ?? '') ?? null,
    inference_geo: null,
    speed: null,
    ...(cost && { cost: cost.costUsd }),
  }
}

/** Anthropic's names of the service tiers that it has. */
const tierNames: Record<string, string> = { default: 'standard', priority: 'priority' }
