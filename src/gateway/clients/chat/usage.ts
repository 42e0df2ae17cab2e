import type { TokenCounts } from '#chat/events.ts'
import type { Usage } from '#chat/usage.ts'
import type { CostNote } from '../../protocol/client-protocol.ts'

/** The usage in the form of chat completions. Details whose counts are zero are absent. */
export function toChatUsage(tokens: TokenCounts, cost?: CostNote): Usage {
  const usage: Usage = {
    prompt_tokens: tokens.prompt,
    completion_tokens: tokens.completion,
    total_tokens: tokens.prompt + tokens.completion,
  }
  if (cost) usage.cost = cost.costUsd
  if (tokens.cached > 0 || tokens.cacheWritten > 0) {
    usage.prompt_tokens_details = { cached_tokens: tokens.cached }
    if (tokens.cacheWritten > 0) usage.prompt_tokens_details.cache_write_tokens = tokens.cacheWritten
  }
  if (tokens.reasoning > 0) usage.completion_tokens_details = { reasoning_tokens: tokens.reasoning }
  return usage
}
