import type { SimulatedProtocol } from '../harness/upstream/provider-facts.ts'

export type Counts = { prompt: number; completion: number; cached?: number; written?: number; reasoning?: number }

/** The usage that a provider reports, and what it bills: tokens, and their cost in pico-dollars. */
export type UsageRow = {
  protocol: SimulatedProtocol
  usage: object
  counts: Counts
  pico: number
  /** The member of a chat response with the usage. */
  member?: string
}

/** Pico-dollars per token: 1.25 and 2.5 USD per million, 0.2 for cache reads and 1.5 for cache writes. */
export const picoPrices = { prompt: 1_250_000, completion: 2_500_000, cached: 200_000, written: 1_500_000 }

const chat = (usage: object, counts: Counts, pico: number): UsageRow => ({
  protocol: 'openai-chat',
  usage,
  counts,
  pico,
})
const responses = (usage: object, counts: Counts, pico: number): UsageRow => ({
  protocol: 'openai-responses',
  usage,
  counts,
  pico,
})
const messages = (usage: object, counts: Counts, pico: number): UsageRow => ({
  protocol: 'anthropic-messages',
  usage,
  counts,
  pico,
})
const gemini = (usage: object, counts: Counts, pico: number): UsageRow => ({
  protocol: 'google-gemini',
  usage,
  counts,
  pico,
})

const cacheOf900 = { prompt: 1000, completion: 10, cached: 900 }
/** 100 × 1.25 + 900 × 0.2 + 10 × 2.5 */
const picoOf900 = 330_000_000
const plain = { prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010 }
const written = { prompt: 1000, completion: 10, cached: 400, written: 500 }
/** 100 × 1.25 + 400 × 0.2 + 500 × 1.5 + 10 × 2.5 */
const picoOfWritten = 980_000_000

export const usageRows: Record<string, UsageRow> = {
  OpenAI: chat(
    {
      prompt_tokens: 2006,
      completion_tokens: 300,
      total_tokens: 2306,
      prompt_tokens_details: { cached_tokens: 1920 },
      completion_tokens_details: { reasoning_tokens: 100 },
    },
    { prompt: 2006, completion: 300, cached: 1920, reasoning: 100 },
    1_241_500_000,
  ),
  'Azure, without a total': chat(
    { prompt_tokens: 1000, completion_tokens: 10, completion_tokens_details: { reasoning_tokens: 4 } },
    { prompt: 1000, completion: 10, reasoning: 4 },
    1_275_000_000,
  ),
  'xAI, which bills 0.0232856 USD': chat(
    {
      prompt_tokens: 10_120,
      completion_tokens: 1499,
      total_tokens: 14_428,
      prompt_tokens_details: { cached_tokens: 128 },
      completion_tokens_details: { reasoning_tokens: 2809 },
    },
    { prompt: 10_120, completion: 4308, cached: 128, reasoning: 2809 },
    23_285_600_000,
  ),
  'xAI, one word after much thought': chat(
    {
      prompt_tokens: 12,
      completion_tokens: 1,
      total_tokens: 399,
      completion_tokens_details: { reasoning_tokens: 386 },
    },
    { prompt: 12, completion: 387, reasoning: 386 },
    982_500_000,
  ),
  'xAI, without a total': chat(
    { prompt_tokens: 12, completion_tokens: 1, completion_tokens_details: { reasoning_tokens: 386 } },
    { prompt: 12, completion: 387, reasoning: 386 },
    982_500_000,
  ),
  'Gemini by chat completions': chat(
    { prompt_tokens: 20, completion_tokens: 198, total_tokens: 623 },
    { prompt: 20, completion: 603 },
    1_532_500_000,
  ),
  Moonshot: chat({ ...plain, cached_tokens: 900 }, cacheOf900, picoOf900),
  'Moonshot, with a zero of OpenAI': chat(
    { ...plain, cached_tokens: 900, prompt_tokens_details: { cached_tokens: 0 } },
    cacheOf900,
    picoOf900,
  ),
  DeepSeek: chat({ ...plain, prompt_cache_hit_tokens: 900, prompt_cache_miss_tokens: 100 }, cacheOf900, picoOf900),
  'DeepSeek and OpenAI': chat(
    { ...plain, prompt_cache_hit_tokens: 900, prompt_tokens_details: { cached_tokens: 900 } },
    cacheOf900,
    picoOf900,
  ),
  'Mistral, by its own name': chat({ ...plain, num_cached_tokens: 900 }, cacheOf900, picoOf900),
  'Mistral, in the singular': chat({ ...plain, prompt_token_details: { cached_tokens: 900 } }, cacheOf900, picoOf900),
  'Groq, Zhipu, MiniMax': chat({ ...plain, prompt_tokens_details: { cached_tokens: 900 } }, cacheOf900, picoOf900),
  'vLLM, with nulls': chat(
    { ...plain, prompt_tokens_details: null, completion_tokens_details: null },
    { prompt: 1000, completion: 10 },
    1_275_000_000,
  ),
  Requesty: chat(
    { ...plain, prompt_tokens_details: { cached_tokens: 400, caching_tokens: 500 } },
    written,
    picoOfWritten,
  ),
  Inception: chat({ ...plain, cached_input_tokens: 900 }, cacheOf900, picoOf900),
  'Bedrock, by the names of its older models': chat(
    { inputTokens: 100, outputTokens: 10, totalTokens: 1010, cacheReadInputTokenCount: 900 },
    cacheOf900,
    picoOf900,
  ),
  'the AI SDK': chat(
    { promptTokens: 1000, completionTokens: 10, totalTokens: 1010 },
    { prompt: 1000, completion: 10 },
    1_275_000_000,
  ),
  'the AI SDK 5': chat(
    { inputTokens: 1000, outputTokens: 10, totalTokens: 1010, cachedInputTokens: 900 },
    cacheOf900,
    picoOf900,
  ),
  'llama.cpp, by its timings': {
    ...chat({ cache_n: 900, prompt_n: 100, prompt_ms: 3.5, predicted_n: 10 }, cacheOf900, picoOf900),
    member: 'timings',
  },
  Cohere: {
    ...chat(
      { billed_units: { input_tokens: 1000, output_tokens: 10 } },
      { prompt: 1000, completion: 10 },
      1_275_000_000,
    ),
    member: 'meta',
  },
  SGLang: chat({ ...plain, reasoning_tokens: 7 }, { prompt: 1000, completion: 10, reasoning: 7 }, 1_275_000_000),
  Perplexity: chat(
    {
      prompt_tokens: 33,
      completion_tokens: 11_395,
      total_tokens: 11_428,
      citation_tokens: 52_587,
      reasoning_tokens: 193_947,
    },
    { prompt: 33, completion: 205_342, reasoning: 193_947 },
    513_396_250_000,
  ),
  OpenRouter: chat(
    { ...plain, prompt_tokens_details: { cached_tokens: 400, cache_write_tokens: 500 } },
    written,
    picoOfWritten,
  ),
  DashScope: chat(
    { ...plain, prompt_tokens_details: { cached_tokens: 400, cache_creation_input_tokens: 500 } },
    written,
    picoOfWritten,
  ),
  'LiteLLM, within the prompt': chat(
    {
      ...plain,
      cache_read_input_tokens: 400,
      cache_creation_input_tokens: 500,
      prompt_tokens_details: { cached_tokens: 400, cache_creation_tokens: 500 },
    },
    written,
    picoOfWritten,
  ),
  'LiteLLM, beside the prompt': chat(
    {
      prompt_tokens: 31,
      completion_tokens: 467,
      total_tokens: 498,
      prompt_tokens_details: { cached_tokens: 0 },
      cache_creation_input_tokens: 1253,
      cache_read_input_tokens: 0,
    },
    { prompt: 1284, completion: 467, written: 1253 },
    3_085_750_000,
  ),
  'a gateway to Anthropic, by its total': chat(
    {
      prompt_tokens: 600,
      completion_tokens: 10,
      total_tokens: 1010,
      cache_read_input_tokens: 300,
      cache_creation_input_tokens: 100,
    },
    { prompt: 1000, completion: 10, cached: 300, written: 100 },
    985_000_000,
  ),
  'a gateway to Bedrock': chat(
    {
      inputTokens: 100,
      outputTokens: 10,
      totalTokens: 1010,
      cacheReadInputTokens: 400,
      cacheWriteInputTokens: 500,
    },
    written,
    picoOfWritten,
  ),
  'the names of responses': chat(
    { input_tokens: 1000, output_tokens: 10, total_tokens: 1010, input_tokens_details: { cached_tokens: 900 } },
    cacheOf900,
    picoOf900,
  ),
  'Cohere, with cached tokens among those that it does not bill': chat(
    {
      billed_units: { input_tokens: 100, output_tokens: 10 },
      tokens: { input_tokens: 1000, output_tokens: 10 },
      cached_tokens: 900,
    },
    { prompt: 100, completion: 10 },
    150_000_000,
  ),
  'a server with texts only in the details': chat(
    { ...plain, prompt_tokens_details: { cached_tokens: '900' } },
    cacheOf900,
    picoOf900,
  ),
  'Open WebUI, by the names of Ollama': chat(
    { 'response_token/s': 12.5, total_duration: 123, prompt_eval_count: 1000, eval_count: 10 },
    { prompt: 1000, completion: 10 },
    1_275_000_000,
  ),
  'a total that is too low': chat({ ...plain, total_tokens: 500 }, { prompt: 1000, completion: 10 }, 1_275_000_000),
  'OpenAI responses': responses(
    {
      input_tokens: 1000,
      output_tokens: 10,
      total_tokens: 1010,
      input_tokens_details: { cached_tokens: 400, cache_write_tokens: 500 },
      output_tokens_details: { reasoning_tokens: 4 },
    },
    { ...written, reasoning: 4 },
    picoOfWritten,
  ),
  'responses with thoughts beside': responses(
    { input_tokens: 12, output_tokens: 1, total_tokens: 399, output_tokens_details: { reasoning_tokens: 386 } },
    { prompt: 12, completion: 387, reasoning: 386 },
    982_500_000,
  ),
  'responses with the names of chats': responses(
    { prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010, prompt_tokens_details: { cached_tokens: 900 } },
    cacheOf900,
    picoOf900,
  ),
  Anthropic: messages(
    { input_tokens: 100, output_tokens: 10, cache_read_input_tokens: 400, cache_creation_input_tokens: 500 },
    written,
    picoOfWritten,
  ),
  'Anthropic, by the age of the cache alone': messages(
    {
      input_tokens: 100,
      output_tokens: 10,
      cache_read_input_tokens: 400,
      cache_creation: { ephemeral_5m_input_tokens: 500, ephemeral_1h_input_tokens: 0 },
      output_tokens_details: { thinking_tokens: 4 },
    },
    { ...written, reasoning: 4 },
    picoOfWritten,
  ),
  Gemini: gemini(
    {
      promptTokenCount: 373,
      cachedContentTokenCount: 204,
      candidatesTokenCount: 89,
      thoughtsTokenCount: 167,
      totalTokenCount: 629,
    },
    { prompt: 373, completion: 256, cached: 204, reasoning: 167 },
    892_050_000,
  ),
  'Gemini, with a tool': gemini(
    {
      promptTokenCount: 427,
      toolUsePromptTokenCount: 771,
      candidatesTokenCount: 122,
      thoughtsTokenCount: 447,
      totalTokenCount: 1767,
    },
    { prompt: 1198, completion: 569, reasoning: 447 },
    2_920_000_000,
  ),
  'Gemini, thoughts within by the total': gemini(
    { promptTokenCount: 1000, candidatesTokenCount: 10, thoughtsTokenCount: 4, totalTokenCount: 1010 },
    { prompt: 1000, completion: 10, reasoning: 4 },
    1_275_000_000,
  ),
  'Gemini, a total without thoughts named': gemini(
    { promptTokenCount: 20, candidatesTokenCount: 198, totalTokenCount: 623 },
    { prompt: 20, completion: 603 },
    1_532_500_000,
  ),
  'a server that counts only the prompt and the total': chat(
    { prompt_tokens: 1000, total_tokens: 1010 },
    { prompt: 1000, completion: 10 },
    1_275_000_000,
  ),
  'a server that counts only the completion and the total': chat(
    { completion_tokens: 10, total_tokens: 1010 },
    { prompt: 1000, completion: 10 },
    1_275_000_000,
  ),
  'a server of responses that counts only the output and the total': responses(
    { output_tokens: 10, total_tokens: 1010 },
    { prompt: 1000, completion: 10 },
    1_275_000_000,
  ),
  'a server of Gemini that counts only the prompt and the total': gemini(
    { promptTokenCount: 1000, totalTokenCount: 1010 },
    { prompt: 1000, completion: 10 },
    1_275_000_000,
  ),
}
