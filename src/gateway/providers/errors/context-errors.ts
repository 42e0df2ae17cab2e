import { describesLongPrompt } from './long-prompt-wording.ts'

/** The sizes in an error message, in tokens: of the context, and of the prompt without the response. */
export type ContextSizes = { limit?: number; tokens?: number }

/** The error codes of servers for a prompt that is longer than the context. */
const contextErrorCodes: readonly string[] = [
  'context_length_exceeded',
  // llama.cpp
  'exceed_context_size_error',
  // GitHub
  'model_max_prompt_tokens_exceeded',
  'tokens_limit_reached',
  // MiMo
  'context_window_exceeded',
]

/**
 * The messages of servers for such a prompt. Their groups `limit` and `tokens` are sizes in the text. One list for all
 * protocols, because many servers and gateways use the protocol of another. The first match counts, so general ones are
 * last.
 */
const contextErrorPatterns: readonly RegExp[] = [
  // Mistral
  /prompt contains (?<tokens>\d+) tokens.*?too large for model with (?<limit>\d+) maximum context/is,
  // llama-cpp-python, Ollama's older versions
  /requested tokens ?\((?<tokens>\d+)\) exceed context window of (?<limit>\d+)/i,
  // llama.cpp
  /request \((?<tokens>\d+) tokens\) exceeds the available context size \((?<limit>\d+) tokens\)/i,
  /exceeds the available context size(?: \((?<limit>\d+))?/i,
  // xAI
  /maximum prompt length is (?<limit>[\d,]+) but the request contains (?<tokens>[\d,]+)/i,
  // vLLM. The pattern below would read the output limit as the size of the prompt.
  /maximum context length is (?<limit>[\d,]+) tokens\. However, you requested [\d,]+ output tokens and your prompt contains (?:at least )?(?<tokens>[\d,]+) input tokens/i,
  // OpenAI, DeepSeek, OpenRouter, vLLM: "However, you requested about 9000 tokens", "your request has 9000 input tokens"
  // SambaNova names the model: "maximum context length of Llama-3 is 8192"
  /maximum context length (?:of \S+ )?(?:is|of) (?<limit>[\d,]+)(?:\D*?(?<tokens>[\d,]+) (?:input |prompt )?tokens)?/i,
  // Fireworks
  /prompt is too long: (?<tokens>\d+), model maximum context length: (?<limit>\d+)/i,
  // vLLM
  /passed (?<tokens>\d+) input tokens.*?context length is only (?<limit>\d+)/is,
  /prompt \(length (?<tokens>\d+)\) is longer than the maximum model length of (?<limit>\d+)/i,
  // Kimi
  /exceeded model token limit: (?<limit>\d+)(?: \(requested: (?<tokens>\d+)\))?/i,
  // Cerebras, Groq
  /reduce the length of the messages(?:.*?current length is (?<tokens>\d+) while limit is (?<limit>\d+))?/is,
  // Together, text-generation-inference
  /max_new_tokens` must be <= (?<limit>\d+)\. Given: (?<tokens>\d+)/i,
  /inputs` must have less than (?<limit>\d+) tokens\. Given: (?<tokens>\d+)/i,
  // SGLang
  /input \((?<tokens>\d+) tokens\) is longer than the model's context length \((?<limit>\d+) tokens\)/i,
  // DeepInfra, Volcengine
  /input length \(?(?<tokens>\d+)\)? exceeds (?:the |the model's |model's )?maximum (?:input |context )?length \(?(?<limit>\d+)/i,
  /tokens of image and text exceed max message tokens/i,
  // SiliconFlow
  /prompt_tokens \((?<tokens>\d+)\) must be less than max_seq_len \((?<limit>\d+)\)/i,
  // Snowflake
  /max tokens of (?<limit>\d+) exceeded/i,
  // Cloudflare
  /tokens \((?<tokens>\d+)\) exceeded this model context window limit \((?<limit>\d+)\)/i,
  // Cohere, watsonx
  /too many tokens: size limit exceeded/i,
  /tokens in the prompt cannot exceed (?<limit>\d+) - received (?<tokens>\d+)/i,
  /input tokens (?<tokens>\d+) cannot exceed the total tokens limit (?<limit>\d+)/i,
  // LM Studio
  /context length of only (?<limit>\d+) tokens/i,
  /tokens to keep from the initial prompt (?:\((?<tokens>\d+)\) )?is greater than the context length(?: \((?<limit>\d+)\))?/i,
  // Alibaba
  /range of input length should be \[\d+, (?<limit>\d+)\]/i,
  // GitHub
  /request body too large for \S+ model\. max size: (?<limit>\d+) tokens/i,
  /prompt token count of (?<tokens>\d+) exceeds the limit of (?<limit>\d+)/i,
  // OpenAI's responses
  /input exceeds the context window/i,
  // Z.AI, Bedrock, MiniMax, Ollama
  /prompt (?:exceeds max length|超长)|input is too long for requested model|context window exceeds limit/i,
  /number of input tokens exceeds maximum length/i,
  /max input tokens: (?<limit>\d+), request input token count: (?<tokens>\d+)/i,
  /prompt too long; exceeded max context length/i,
  // Anthropic. The last is the prompt and the output limit together.
  /prompt is too long(?:: (?<tokens>\d+) tokens > (?<limit>\d+) maximum)?/i,
  /exceed context limit: (?<tokens>\d+) \+ \d+ > (?<limit>\d+)/i,
  // Google
  /input token count(?: \((?<tokens>\d+)\))? exceeds the maximum number of tokens allowed(?: \(?(?<limit>\d+)\)?)?/i,
  /input token count is (?<tokens>\d+) but (?:the )?model only supports up to (?<limit>\d+)/i,
  /input tokens exceed the configured limit of (?<limit>[\d,]+) tokens(?:.*?resulted in (?<tokens>[\d,]+))?/i,
  // LM Studio
  /reached context length of (?<limit>\d+) tokens/i,
  // ChatGPT
  /message you submitted was too long/i,
  // Other servers
  /input is too long: (?<tokens>\d+) tokens exceeds? the limit of (?<limit>\d+)/i,
  /input (?:text|prompt) is too long/i,
  /maximum input length (?:is|of) (?<limit>\d+) tokens/i,
  /max(?:imum)? context length is (?<limit>\d+)(?: tokens, requested (?<tokens>\d+))?/i,
  /supports? up to (?<limit>\d+) tokens but you sent (?<tokens>\d+)/i,
  /token count (?<tokens>\d+) is (?:longer|greater) than the model's max(?:imum)? (?<limit>\d+)/i,
  /input tokens (?<tokens>\d+) exceeds? the model's max(?:imum)? (?:allowed )?(?<limit>\d+)/i,
  /total tokens \((?<tokens>\d+)\) exceeds? the max(?:imum)? \((?<limit>\d+)\)/i,
  /\((?<tokens>\d+)\) is greater than (?:the )?max(?:imum)? context(?: length)? \((?<limit>\d+)\)/i,
  /length of (?:the )?inputs? exceeds the (?:model's )?(?:max(?:imum)? )?(?:limit|length):? ?(?<limit>\d+)?/i,
  /exceeds? (?:the )?max(?:imum)? token limit(?: \((?<limit>\d+)\))?/i,
  /exceeds the max(?:imum)? (?:allowed )?input length/i,
  /tokens? limit exceeded[:.] (?:(?<tokens>\d+) > (?<limit>\d+)|input has)/i,
  /context (?:length|window) is exceeded/i,
  /输入长度超过|上下文长度超|超过.{0,6}最大上下文/,
  /longer than the model's (?:maximum )?context length(?: of (?<limit>\d+))?/i,
  /exceed(?:s|ed)? (?:the )?(?:model's |model )?(?:max(?:imum)? )?context (?:length|window|size|limit)(?: of (?<limit>\d+))?/i,
  /maximum sequence length (?:is|of) (?<limit>\d+)/i,
  /context (?:length|window) exceed(?:s|ed)/i,
  /ContextWindowExceededError/,
]

/** The sizes in an error for a prompt that is too long; undefined for other errors. */
export function readContextError(code: string | undefined, message: string | undefined): ContextSizes | undefined {
  const match = message === undefined ? undefined : firstMatch(contextErrorPatterns, message)
  const isNamedByCode = code !== undefined && contextErrorCodes.includes(code)
  if (!match && !isNamedByCode && !(message !== undefined && describesLongPrompt(message))) return undefined
  const { limit, tokens } = match?.groups ?? {}
  const { output } = (message === undefined ? undefined : outputPattern.exec(message))?.groups ?? {}
  return { ...readSize('limit', limit), ...readPromptSize(readSize('tokens', tokens), readSize('tokens', output)) }
}

/** The output limit in a message whose size is that of the prompt and the response together: "9000 tokens (…, 8000 in the completion)". */
const outputPattern = /(?<output>[\d,]+) (?:tokens )?(?:in|for) the (?:completion|output)\b/i

const readPromptSize = ({ tokens }: ContextSizes, { tokens: response = 0 }: ContextSizes): ContextSizes =>
  tokens === undefined ? {} : { tokens: tokens > response ? tokens - response : tokens }

function firstMatch(patterns: readonly RegExp[], text: string): RegExpExecArray | undefined {
  for (const pattern of patterns) {
    const match = pattern.exec(text)
    if (match) return match
  }
  return undefined
}

function readSize(name: keyof ContextSizes, digits: string | undefined): ContextSizes {
  const size = Number(digits?.replaceAll(/[,_]/g, ''))
  return Number.isSafeInteger(size) && size > 0 ? { [name]: size } : {}
}
