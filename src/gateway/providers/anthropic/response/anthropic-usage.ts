import type { CompletionEvent } from '#chat/events.ts'
import { readBedrockMetrics, type WithBedrockMetrics } from '../../bedrock-metrics.ts'
import { type ReportedCounts, type ReportedExtras, sumCounts, usageEvents } from '../../token-counts.ts'
import { mergeUsage, parseCounts, type UsageObject } from '../../usage-formats.ts'

type Counts = {
  input_tokens?: number
  output_tokens?: number
  cache_read_input_tokens?: number | null
  cache_creation_input_tokens?: number | null
  cache_creation?: { ephemeral_5m_input_tokens?: number; ephemeral_1h_input_tokens?: number } | null
  output_tokens_details?: { thinking_tokens?: number } | null
}
/** The usage of a response, as Anthropic and servers of its protocol report it. */
export type Usage = Counts & {
  server_tool_use?: { web_search_requests?: number; web_fetch_requests?: number } | null
  speed?: string | null
  /** The region in which the model ran, such as `us`. */
  inference_geo?: string | null
  /** The runs of models for this response, for example of a compaction of the conversation before it. */
  iterations?: (Counts & { type?: string; model?: unknown })[] | null
}

/** The usage of a stream: the prompt in the first event, all counts in the last ones. */
export class StreamUsage {
  #usage: UsageObject = {}

  start(usage: Usage | undefined): void {
    // The first event counts only the start of the response.
    this.#usage = { ...parseCounts(usage ?? {}), output_tokens: undefined }
  }

  /**
   * The usage event; none after the first event alone. After a compaction the last event restarts the counts, and its
   * zeros are valid.
   */
  add(reported: Usage | null | undefined): CompletionEvent[] {
    if (!reported) return []
    const usage = parseCounts(reported)
    const splitsPrompt = usage.input_tokens === 0 && cacheTokens(usage) > 0 && cacheTokens(this.#usage) === 0
    this.#usage = mergeUsage(usage.iterations?.length ? withoutCounts(this.#usage, usage) : this.#usage, usage)
    // The first event of some servers counts the whole prompt as uncached, and the last one all of it as cached.
    if (splitsPrompt) this.#usage.input_tokens = 0
    return readUsage(this.#usage, usage !== reported || this.#hidesCount(usage))
  }

  /** The usage event of the last event of a stream, which has the only usage of some servers. */
  addLast(event: { usage?: Usage; message?: { usage?: Usage } } & WithBedrockMetrics): CompletionEvent[] {
    const { usage, message } = event
    const isCounted = this.#usage.input_tokens || this.#usage.output_tokens
    return this.add(usage ?? message?.usage ?? (isCounted ? undefined : bedrockUsage(event)))
  }

  /** Whether clients would lose an earlier count, because the event has a zero for it. */
  #hidesCount(usage: Usage): boolean {
    return countNames.some((name) => usage[name] === 0 && this.#usage[name] !== 0)
  }
}

function bedrockUsage(event: WithBedrockMetrics): Usage | undefined {
  const counts = readBedrockMetrics(event)
  if (!counts) return undefined
  const { input, output, cacheRead, cacheWritten } = counts
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWritten,
  } as Usage
}

const cacheTokens = ({ cache_read_input_tokens: read, cache_creation_input_tokens: created }: Counts) =>
  (read ?? 0) + (created ?? 0)

/** The fields of the first event that the last one can lack. The lifetimes of cache writes apply to the same number of tokens. */
function withoutCounts(first: Usage, last: Usage): Usage {
  const { input_tokens: _input, output_tokens: _output, cache_read_input_tokens: _read, ...rest } = first
  const { cache_creation_input_tokens: written, cache_creation: lifetimes, ...others } = rest
  return written === last.cache_creation_input_tokens ? { ...others, cache_creation: lifetimes } : others
}

const countNames = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'output_tokens'] as const

/** Iterations that the counts of the response do not include. */
const separateIterations: ReadonlySet<string | undefined> = new Set(['compaction', 'advisor_message'])

/** The billed counts of a response and its tools. @param isRestated whether clients read other counts from the event. */
export function readUsage(reported: Usage, isRestated = false): CompletionEvent[] {
  const usage = parseCounts(reported)
  const iterations = Array.isArray(usage.iterations) ? usage.iterations : []
  const separate = iterations.filter((iteration) => separateIterations.has(iteration?.type)).map(readCounts)
  const { web_search_requests: web_search, web_fetch_requests: web_fetch } = usage.server_tool_use ?? {}
  const extras = { pieces: { web_search, web_fetch }, serviceTier: readTier(usage), models: readAdvisors(iterations) }
  const events = usageEvents(separate.reduce(addCounts, readCounts(usage)), extras)
  if (!isRestated && usage === reported) return events
  return events.map((event) => (event.type === 'usage' ? { ...event, restated: true } : event))
}

/** The runs of the advisors, which are other models with other prices. */
function readAdvisors(iterations: NonNullable<Usage['iterations']>): NonNullable<ReportedExtras['models']> {
  return iterations.flatMap((iteration) => {
    const { type, model } = iteration ?? {}
    return type === 'advisor_message' && typeof model === 'string'
      ? [{ name: model, counts: readCounts(iteration) }]
      : []
  })
}

/** The speed, or else the region, as a service tier: each has its price. A request for speed can be served without it. */
function readTier({ speed, inference_geo: region }: Usage): string | undefined {
  if (region === 'us' && speed !== 'fast') return 'us'
  return speed ?? undefined
}

/** Anthropic counts cached tokens separately from the rest of the prompt. */
function readCounts(counts: Counts): ReportedCounts {
  const { cache_read_input_tokens: cached, cache_creation: written } = counts
  const { ephemeral_1h_input_tokens: cacheWritten1h, ephemeral_5m_input_tokens: cacheWritten5m } = written ?? {}
  const cacheWritten = counts.cache_creation_input_tokens || sumCounts(cacheWritten1h, cacheWritten5m)
  return {
    prompt: sumCounts(counts.input_tokens, cached, cacheWritten),
    completion: counts.output_tokens,
    cached,
    cacheWritten,
    cacheWritten1h,
    reasoning: counts.output_tokens_details?.thinking_tokens,
  }
}

function addCounts(sum: ReportedCounts, added: ReportedCounts): ReportedCounts {
  return {
    prompt: sumCounts(sum.prompt, added.prompt),
    completion: sumCounts(sum.completion, added.completion),
    cached: sumCounts(sum.cached, added.cached),
    cacheWritten: sumCounts(sum.cacheWritten, added.cacheWritten),
    cacheWritten1h: sumCounts(sum.cacheWritten1h, added.cacheWritten1h),
    reasoning: sumCounts(sum.reasoning, added.reasoning),
  }
}
