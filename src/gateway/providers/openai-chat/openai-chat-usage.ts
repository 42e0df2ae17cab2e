import type { CompletionEvent } from '#chat/events.ts'
import { readBedrockMetrics, type WithBedrockMetrics } from '../bedrock-metrics.ts'
import { readToolCallCounts } from '../openai/openai-tools.ts'
import type { OpenaiUsage } from '../openai/openai-usage.ts'
import { sumCounts } from '../token-counts.ts'
import type { UsageObject } from '../usage-formats.ts'

type UpstreamUsage = UsageObject & {
  server_tool_use?: { web_search_requests?: number } | null
  server_tool_use_details?: { web_search_requests?: number } | null
  num_search_queries?: number
  /** The sources that a search of xAI used, which it bills one by one. */
  num_sources_used?: number
  /** The searches of DashScope. */
  plugins?: { search?: { count?: number } | null } | null
}
/** The fields with usage. Groq also has it in `x_groq`, Moonshot in the choice, llama.cpp in `timings`, Cohere in `meta`. */
export type WithUsage = {
  usage?: UpstreamUsage | null
  x_groq?: { usage?: UpstreamUsage; error?: unknown } | null
  timings?: { prompt_n?: unknown; cache_n?: unknown; predicted_n?: unknown } | null
  meta?: { usage?: UpstreamUsage; billed_units?: UpstreamUsage } | null
  /** The usage of gateways to Gemini, then that of Ollama. */
  usageMetadata?: UpstreamUsage | null
  prompt_eval_count?: unknown
  eval_count?: unknown
  choices?: { usage?: UpstreamUsage | null }[]
  service_tier?: string | null
} & WithBedrockMetrics

function findUsage(response: WithUsage): UpstreamUsage | null | undefined {
  const { usage } = response
  // Usage with other names can have the counts in a field, as that of Cohere.
  if (usage && usage.prompt_tokens !== undefined) return usage
  return usage ? completeUsage(usage) : findOtherUsage(response)
}

/** Usage with a sum that a server reports only in parts (DeepSeek), or with the billed counts within it (Cohere). */
function completeUsage(usage: UpstreamUsage): UpstreamUsage {
  const { billed_units, tokens, prompt_cache_hit_tokens: hit, prompt_cache_miss_tokens: miss } = usage
  const within = billed_units ?? tokens
  // Cohere counts cached tokens among all tokens, of which it bills only some.
  const { cached_tokens: cached } = usage
  if (typeof within === 'object' && within !== null)
    return { ...usage, cached_tokens: billed_units ? undefined : cached, ...within }
  return hit == null || miss == null ? usage : { ...usage, prompt_tokens: sumCounts(hit, miss) }
}

function findOtherUsage(response: WithUsage): UpstreamUsage | null | undefined {
  const { choices, x_groq, meta, timings, usageMetadata, prompt_eval_count, eval_count } = response
  const { prompt_n, cache_n: cached_tokens, predicted_n: completion_tokens } = timings ?? {}
  const timingUsage =
    prompt_n == null
      ? undefined
      : { prompt_tokens: sumCounts(prompt_n, cached_tokens), completion_tokens, cached_tokens }
  const evaluationUsage =
    eval_count == null ? undefined : { prompt_tokens: prompt_eval_count, completion_tokens: eval_count }
  const reportedUsage = choices?.[0]?.usage ?? x_groq?.usage ?? meta?.usage ?? meta?.billed_units
  return reportedUsage ?? usageMetadata ?? bedrockUsage(response) ?? timingUsage ?? evaluationUsage
}

function bedrockUsage(response: WithUsage): UpstreamUsage | undefined {
  const counts = readBedrockMetrics(response)
  if (!counts) return undefined
  const { input, output, cacheRead, cacheWritten } = counts
  return {
    prompt_tokens: sumCounts(input, cacheRead, cacheWritten),
    completion_tokens: output,
    cached_tokens: cacheRead,
    cache_write_tokens: cacheWritten,
  }
}

/**
 * Reads the usage of a whole response or of an event. @param reader has the usage of earlier events.
 * @param contentLength the characters of the content in the same event of a stream.
 */
export function readUsageEvents(response: WithUsage, reader: OpenaiUsage, contentLength = 0): CompletionEvent[] {
  const usage = findUsage(response)
  if (!usage) return []
  const searches = (usage.server_tool_use ?? usage.server_tool_use_details)?.web_search_requests
  const pieces = {
    web_search: searches ?? usage.num_search_queries,
    search_parameters: usage.num_sources_used,
    enable_search: usage.plugins?.search?.count,
    ...readToolCallCounts(usage),
  }
  return reader.read(
    usage,
    { pieces, serviceTier: response.service_tier },
    { isInPlace: usage === response.usage, contentLength },
  )
}
