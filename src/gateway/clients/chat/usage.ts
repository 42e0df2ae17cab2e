import type { TokenCounts } from '#chat/events.ts'
import type { Usage } from '#chat/usage.ts'
import type { CostNote } from '../../protocol/protocol.ts'

export function usageOf(tokens: TokenCounts, cost?: CostNote): Usage {
  return {
    prompt_tokens: tokens.prompt,
    completion_tokens: tokens.completion,
    total_tokens: tokens.prompt + tokens.completion,
    ...(cost && { cost: cost.costUsd }),
    ...((tokens.cached > 0 || tokens.cacheWritten > 0) && {
      prompt_tokens_details: {
        cached_tokens: tokens.cached,
        ...(tokens.cacheWritten > 0 && { cache_write_tokens: tokens.cacheWritten }),
      },
    }),
    ...(tokens.reasoning > 0 && { completion_tokens_details: { reasoning_tokens: tokens.reasoning } }),
  }
}
