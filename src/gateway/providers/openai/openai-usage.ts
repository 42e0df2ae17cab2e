import type { CompletionEvent, TokenCounts } from '#chat/events.ts'
import { CompletionIncrements } from '../completion-increments.ts'
import { type ReportedCounts, type ReportedExtras, readCount, usageEvents } from '../token-counts.ts'
import {
  buildUsageFormatSet,
  mergeUsage,
  parseCounts,
  readClientCounts,
  readCounts,
  type UsageFormat,
  type UsageFormatSet,
  type UsageObject,
} from '../usage-formats.ts'

/** The format of OpenAI chat completions. */
const openaiChat: UsageFormat = {
  servers: 'OpenAI, and most others: Azure, Cerebras, Fireworks, Groq, MiniMax, OpenRouter, vLLM, xAI, Zhipu',
  prompt: 'prompt_tokens',
  completion: 'completion_tokens',
  total: 'total_tokens',
  cached: 'prompt_tokens_details.cached_tokens',
  cacheWritten: 'prompt_tokens_details.cache_write_tokens',
  reasoning: 'completion_tokens_details.reasoning_tokens',
  audioPrompt: 'prompt_tokens_details.audio_tokens',
  audioCompletion: 'completion_tokens_details.audio_tokens',
  imageCompletion: 'completion_tokens_details.image_tokens',
}

export const chatUsageFormats = buildUsageFormatSet([
  openaiChat,
  { servers: 'Moonshot, StepFun, Together', cached: 'cached_tokens' },
  { servers: 'gateways', cached: 'cache_read_tokens', cacheWritten: 'cache_write_tokens' },
  { servers: 'xAI, gateways', cached: 'cached_prompt_tokens' },
  { servers: 'gateways', cached: 'prompt_cached_tokens', reasoning: 'thinking_tokens' },
  { servers: 'gateways to Gemini', reasoning: 'completion_tokens_details.thinking_tokens' },
  {
    servers: 'LangChain',
    cached: 'input_token_details.cache_read',
    cacheWritten: 'input_token_details.cache_creation',
    reasoning: 'output_token_details.reasoning',
  },
  {
    servers: 'gateways to Gemini',
    prompt: 'promptTokenCount',
    completion: 'candidatesTokenCount',
    total: 'totalTokenCount',
    cached: 'cachedContentTokenCount',
  },
  { servers: 'gateways to Gemini', reasoning: 'thoughtsTokenCount', separateCount: 'reasoning' },
  {
    servers: 'gateways to Gemini, in Python',
    prompt: 'prompt_token_count',
    completion: 'candidates_token_count',
    total: 'total_token_count',
    cached: 'cached_content_token_count',
  },
  { servers: 'gateways to Gemini, in Python', reasoning: 'thoughts_token_count', separateCount: 'reasoning' },
  { servers: 'AI SDK 5', cached: 'cachedInputTokens', reasoning: 'reasoningTokens' },
  { servers: 'Open WebUI', prompt: 'prompt_eval_count', completion: 'eval_count' },
  { servers: 'Anyscale', prompt: 'num_prompt_tokens', completion: 'num_completion_tokens' },
  { servers: 'DeepSeek, SiliconFlow', cached: 'prompt_cache_hit_tokens' },
  { servers: 'Mistral', cached: 'num_cached_tokens' },
  { servers: 'Mistral', cached: 'prompt_token_details.cached_tokens' },
  { servers: 'DashScope', cacheWritten: 'prompt_tokens_details.cache_creation_input_tokens' },
  { servers: 'LiteLLM', cacheWritten: 'prompt_tokens_details.cache_creation_tokens' },
  {
    servers: 'LiteLLM and gateways to Anthropic',
    cached: 'cache_read_input_tokens',
    cacheWritten: 'cache_creation_input_tokens',
    cacheWritten1h: 'cache_creation.ephemeral_1h_input_tokens',
    separateCount: 'cache',
  },
  { servers: 'gateways to Anthropic', cached: 'prompt_tokens_details.cache_read_input_tokens' },
  {
    servers: 'New API, One Hub',
    cached: 'prompt_tokens_details.cached_read_tokens',
    cacheWritten: 'prompt_tokens_details.cached_creation_tokens',
    cacheWritten1h: 'claude_cache_creation_1_h_tokens',
  },
  { servers: 'One Hub', cacheWritten: 'prompt_tokens_details.cached_write_tokens' },
  { servers: 'Requesty', cacheWritten: 'prompt_tokens_details.caching_tokens' },
  { servers: 'Inception', cached: 'cached_input_tokens' },
  {
    servers: 'gateways to Bedrock',
    cached: 'cacheReadInputTokens',
    cacheWritten: 'cacheWriteInputTokens',
    separateCount: 'cache',
  },
  {
    servers: 'gateways to Bedrock',
    cached: 'cacheReadInputTokenCount',
    cacheWritten: 'cacheWriteInputTokenCount',
    separateCount: 'cache',
  },
  { servers: 'gateways to Bedrock', prompt: 'inputTokens', completion: 'outputTokens', total: 'totalTokens' },
  {
    servers: 'AI SDK',
    prompt: 'promptTokens',
    completion: 'completionTokens',
    total: 'totalTokens',
    cached: 'cachedPromptTokens',
  },
  {
    servers: 'Perplexity',
    onlyIfPresent: 'citation_tokens',
    reasoning: 'reasoning_tokens',
    separateCount: 'reasoning',
  },
  { servers: 'SGLang', reasoning: 'reasoning_tokens' },
  {
    servers: 'servers that use the field names of the Responses API',
    prompt: 'input_tokens',
    completion: 'output_tokens',
    cached: 'input_tokens_details.cached_tokens',
    reasoning: 'output_tokens_details.reasoning_tokens',
  },
])

const openaiResponses: UsageFormat = {
  servers: 'OpenAI, and most others',
  prompt: 'input_tokens',
  completion: 'output_tokens',
  total: 'total_tokens',
  cached: 'input_tokens_details.cached_tokens',
  cacheWritten: 'input_tokens_details.cache_write_tokens',
  reasoning: 'output_tokens_details.reasoning_tokens',
  audioPrompt: 'input_tokens_details.audio_tokens',
  audioCompletion: 'output_tokens_details.audio_tokens',
  imageCompletion: 'output_tokens_details.image_tokens',
}

export const responsesUsageFormats = buildUsageFormatSet([
  openaiResponses,
  { servers: 'DashScope', cacheWritten: 'input_tokens_details.cache_creation_input_tokens' },
  { servers: 'LiteLLM', cacheWritten: 'input_tokens_details.cache_creation_tokens' },
  {
    servers: 'gateways to Anthropic',
    cached: 'cache_read_input_tokens',
    cacheWritten: 'cache_creation_input_tokens',
    cacheWritten1h: 'cache_creation.ephemeral_1h_input_tokens',
    separateCount: 'cache',
  },
  { servers: 'Moonshot, Together', cached: 'cached_tokens' },
  { servers: 'DeepSeek', cached: 'prompt_cache_hit_tokens' },
  {
    servers: 'servers that use the field names of chat completions',
    prompt: 'prompt_tokens',
    completion: 'completion_tokens',
    cached: 'prompt_tokens_details.cached_tokens',
    reasoning: 'completion_tokens_details.reasoning_tokens',
  },
])

/**
 * Reads the usage of one response, which several events can report. The first of the constructor's `formats` is the one
 * that clients read. `restated` marks usage from which clients would read other counts than the billed ones.
 */
export class OpenaiUsage {
  readonly #formats: UsageFormatSet
  #usage: UsageObject | undefined
  #increments: CompletionIncrements | undefined

  constructor(formats: UsageFormatSet) {
    this.#formats = formats
  }

  /**
   * @param isInPlace whether the usage is at the position where clients expect it.
   * @param contentLength the characters of the content in the same event of a stream.
   */
  read(usage: UsageObject, extras: ReportedExtras, { isInPlace = true, contentLength = 0 } = {}): CompletionEvent[] {
    const counts = parseCounts(usage)
    const merged = readCounts(this.#merge(counts), this.#formats)
    const events = usageEvents(this.#withIncrements(merged, counts, contentLength), extras)
    const clientCounts = readClientCounts(usage, this.#formats)
    return events.map((event) =>
      event.type === 'usage' && (!isInPlace || differsFromClientCounts(event.tokens, clientCounts))
        ? { ...event, restated: true }
        : event,
    )
  }

  /** Adds up usage that counts single events. Only streams with usage beside content can have it. */
  #withIncrements(merged: ReportedCounts, usage: UsageObject, contentLength: number): ReportedCounts {
    if (contentLength === 0 && !this.#increments) return merged
    this.#increments ??= new CompletionIncrements()
    this.#increments.add(readCounts(usage, this.#formats), contentLength)
    return this.#increments.correct(merged)
  }

  #merge(usage: UsageObject): UsageObject {
    const before = this.#usage
    this.#usage = before ? mergeUsage(before, usage) : usage
    // A total applies only to the counts of the same event.
    if (before && !usage.total_tokens && hasCounts(readCounts(usage, this.#formats))) delete this.#usage.total_tokens
    return this.#usage
  }
}

const hasCounts = ({ prompt, completion }: ReportedCounts) => Boolean(prompt) || Boolean(completion)

/** Whether a client would read other counts from the original usage. */
function differsFromClientCounts(tokens: TokenCounts, clientCounts: ReportedCounts): boolean {
  const count = (name: keyof ReportedCounts) => readCount(clientCounts[name]) ?? 0
  if (tokens.prompt !== count('prompt') || tokens.completion !== count('completion')) return true
  // A billed part is smaller only if the reported one exceeds its whole. Then the provider's usage remains as it is.
  return (['cached', 'cacheWritten', 'reasoning'] as const).some((name) => tokens[name] > count(name))
}
