import { type ReportedCounts, sumCounts } from '../token-counts.ts'

type ModalityCount = { modality?: string; tokenCount?: number }
export type GeminiUsage = {
  promptTokenCount?: number
  toolUsePromptTokenCount?: number
  candidatesTokenCount?: unknown
  thoughtsTokenCount?: number
  cachedContentTokenCount?: number
  totalTokenCount?: number | undefined
  promptTokensDetails?: ModalityCount[] | null
  toolUsePromptTokensDetails?: ModalityCount[] | null
  candidatesTokensDetails?: ModalityCount[] | null
  serviceTier?: string
  trafficType?: string
}

/** The count that some servers send for each event alone. That of reasoning is always for the whole response. */
export function candidateCounts({ candidatesTokenCount: completion }: GeminiUsage): ReportedCounts {
  return { prompt: undefined, completion }
}

/**
 * Gemini counts reasoning separately from the completion, and tool input separately from the prompt. Some servers count them
 * within these; the total shows which.
 */
export function readCounts(usage: GeminiUsage): ReportedCounts {
  const { thoughtsTokenCount: reasoning, cachedContentTokenCount: cached } = usage
  return {
    prompt: sumCounts(usage.promptTokenCount, usage.toolUsePromptTokenCount),
    otherPrompt: usage.promptTokenCount,
    completion: sumCounts(usage.candidatesTokenCount, reasoning),
    otherCompletion: usage.candidatesTokenCount,
    total: usage.totalTokenCount,
    cached,
    reasoning,
    audioPrompt: sumModality('AUDIO', usage.promptTokensDetails, usage.toolUsePromptTokensDetails),
    audioCompletion: sumModality('AUDIO', usage.candidatesTokensDetails),
    imageCompletion: sumModality('IMAGE', usage.candidatesTokensDetails),
  }
}

function sumModality(modality: string, ...details: (ModalityCount[] | null | undefined)[]): unknown {
  const counts = details.flatMap((detail) => (Array.isArray(detail) ? detail : []))
  return sumCounts(...counts.filter((count) => count?.modality === modality).map(({ tokenCount }) => tokenCount))
}
