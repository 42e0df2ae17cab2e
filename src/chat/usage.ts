/** The usage of a completion. `cost` is in USD. Fields without a known value are absent. */
export type Usage = {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  cost?: number
  prompt_tokens_details?: { cached_tokens?: number; cache_write_tokens?: number }
  completion_tokens_details?: { reasoning_tokens?: number }
}
