import type { ContextErrors } from './context-errors.ts'

/** The errors of OpenAI and of other servers of its protocols. */
export const openaiContextErrors: ContextErrors = {
  codes: [
    'context_length_exceeded',
    // llama.cpp
    'exceed_context_size_error',
    'model_max_prompt_tokens_exceeded',
  ],
  messages: [
    // Mistral
    /prompt contains (?<tokens>\d+) tokens.*?too large for model with (?<limit>\d+) maximum context/is,
    // llama-cpp-python, Ollama's older versions
    /requested tokens \((?<tokens>\d+)\) exceed context window of (?<limit>\d+)/i,
    // llama.cpp
    /request \((?<tokens>\d+) tokens\) exceeds the available context size \((?<limit>\d+) tokens\)/i,
    /exceeds the available context size(?: \((?<limit>\d+))?/i,
    // xAI
    /maximum prompt length is (?<limit>[\d,]+) but the request contains (?<tokens>[\d,]+)/i,
    // OpenAI, DeepSeek, OpenRouter, vLLM: "However, you requested about 9000 tokens", "your request has 9000 input tokens"
    // SambaNova names the model: "maximum context length of Llama-3 is 8192"
    /maximum context length (?:of \S+ )?(?:is|of) (?<limit>[\d,]+)(?:\D*?(?<tokens>[\d,]+) (?:input |prompt )?tokens)?/i,
    // Fireworks
    /prompt is too long: (?<tokens>\d+), model maximum context length: (?<limit>\d+)/i,
    // vLLM's older versions
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
    // DeepInfra
    /input length (?<tokens>\d+) exceeds maximum input length (?<limit>\d+)/i,
    // Cloudflare
    /tokens \((?<tokens>\d+)\) exceeded this model context window limit \((?<limit>\d+)\)/i,
    // Cohere, watsonx
    /too many tokens: size limit exceeded/i,
    /input tokens (?<tokens>\d+) cannot exceed the total tokens limit (?<limit>\d+)/i,
    // LM Studio
    /context length of only (?<limit>\d+) tokens/i,
    /tokens to keep from the initial prompt is greater than the context length/i,
    // Alibaba
    /range of input length should be \[\d+, (?<limit>\d+)\]/i,
    // GitHub's and others' gateways
    /prompt token count of (?<tokens>\d+) exceeds the limit of (?<limit>\d+)/i,
    // OpenAI's responses
    /input exceeds the context window/i,
    // Z.AI, Bedrock, MiniMax, Ollama
    /prompt exceeds max length|input is too long for requested model|context window exceeds limit/i,
    /(?:input|prompt) (?:length )?exceed(?:s|ed) (?:the |max(?:imum)? )?context (?:length|window|size)/i,
    // Gateways that pass on Anthropic's and Google's messages
    /prompt is too long: (?<tokens>\d+) tokens > (?<limit>\d+) maximum/i,
    /input token count \((?<tokens>\d+)\) exceeds the maximum number of tokens allowed \((?<limit>\d+)\)/i,
    /ContextWindowExceededError/,
  ],
}
