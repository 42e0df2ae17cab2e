import type { ReportedCounts } from './token-counts.ts'

/** The parts of a count, as both of OpenAI's protocols name them. */
export type PromptDetails = { cached_tokens?: number; cache_write_tokens?: number; audio_tokens?: number } | null
export type CompletionDetails = { reasoning_tokens?: number; audio_tokens?: number; image_tokens?: number } | null

export function detailsIn(
  prompt: PromptDetails | undefined,
  completion: CompletionDetails | undefined,
): Omit<ReportedCounts, 'prompt' | 'completion'> {
  return {
    cached: prompt?.cached_tokens,
    cacheWritten: prompt?.cache_write_tokens,
    reasoning: completion?.reasoning_tokens,
    audioPrompt: prompt?.audio_tokens,
    audioCompletion: completion?.audio_tokens,
    imageCompletion: completion?.image_tokens,
  }
}
