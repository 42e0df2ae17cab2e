import type { Protocol } from '#platform/core/vocabulary.ts'

/** A provider of LiteLLM: the part of `litellm_params.model` before the slash. */
export type Vendor = {
  /** The slug of the provider in the catalogue, or of the new provider. */
  slug: string
  protocol?: Protocol
  /** The default base URL. */
  baseUrl?: string
  /** The path that LiteLLM inserts between `api_base` and the operation. */
  path?: string
  /** The provider in the catalogue that has the same models and prices at another address. */
  referenceProvider?: string
  /** The default variable of LiteLLM for the key. */
  variable?: string
  /** Self-hosted: models without a price are free. */
  isSelfHosted?: true
}

/** LiteLLM's names of the providers whose protocols are supported. */
export const vendors: Record<string, Vendor> = {
  openai: { slug: 'openai' },
  text_completion_openai: { slug: 'openai' },
  custom_openai: { slug: 'openai' },
  openai_like: { slug: 'openai-like' },
  anthropic: { slug: 'anthropic', referenceProvider: 'anthropic', protocol: 'anthropic-messages', path: '/v1' },
  gemini: { slug: 'google', referenceProvider: 'google', protocol: 'google-gemini', variable: 'GEMINI_API_KEY' },
  vertex_ai: {
    slug: 'vertex',
    referenceProvider: 'google',
    protocol: 'google-gemini',
    baseUrl: 'https://aiplatform.googleapis.com/v1/publishers/google',
  },
  azure: { slug: 'azure', referenceProvider: 'openai', path: '/openai/v1', variable: 'AZURE_API_KEY' },
  azure_ai: { slug: 'azure-ai', referenceProvider: 'openai', path: '/openai/v1', variable: 'AZURE_AI_API_KEY' },
  groq: { slug: 'groq' },
  together_ai: { slug: 'togetherai' },
  openrouter: { slug: 'openrouter' },
  xai: { slug: 'xai' },
  mistral: { slug: 'mistral' },
  deepseek: { slug: 'deepseek' },
  dashscope: { slug: 'alibaba' },
  zai: { slug: 'zai', variable: 'ZAI_API_KEY' },
  moonshot: { slug: 'moonshotai' },
  deepinfra: { slug: 'deepinfra' },
  fireworks_ai: { slug: 'fireworks-ai' },
  perplexity: { slug: 'perplexity', baseUrl: 'https://api.perplexity.ai', variable: 'PERPLEXITYAI_API_KEY' },
  cerebras: { slug: 'cerebras', baseUrl: 'https://api.cerebras.ai/v1', variable: 'CEREBRAS_API_KEY' },
  nvidia_nim: { slug: 'nvidia', baseUrl: 'https://integrate.api.nvidia.com/v1', variable: 'NVIDIA_NIM_API_KEY' },
  sambanova: { slug: 'sambanova', baseUrl: 'https://api.sambanova.ai/v1', variable: 'SAMBANOVA_API_KEY' },
  ollama: { slug: 'ollama', baseUrl: 'http://localhost:11434/v1', path: '/v1', isSelfHosted: true },
  ollama_chat: { slug: 'ollama', baseUrl: 'http://localhost:11434/v1', path: '/v1', isSelfHosted: true },
  hosted_vllm: { slug: 'vllm', isSelfHosted: true },
  lm_studio: { slug: 'lm-studio', isSelfHosted: true },
  llamafile: { slug: 'llamafile', baseUrl: 'http://localhost:8080/v1', isSelfHosted: true },
  xinference: { slug: 'xinference', baseUrl: 'http://localhost:9997/v1', isSelfHosted: true },
  litellm_proxy: { slug: 'litellm-proxy' },
}

/** The message for vendors whose protocol is not supported. */
export const unsupported: Record<string, string> = {
  bedrock:
    'AWS credentials are not supported; use a Bedrock API key with its OpenAI-compatible address (docs/local-models.md) and prices in the row',
  sagemaker: 'AWS credentials are not supported',
  vertex_ai:
    'credentials of a Google Cloud project are not supported; use an API key (express mode), or the Gemini API: gemini/…',
}

/** The provider that LiteLLM chooses for a model name without one. */
export function vendorOfBareModel(model: string): string | undefined {
  if (/^(gpt-|o\d|chatgpt|codex|text-|dall-e|whisper|tts-)/.test(model)) return 'openai'
  if (model.startsWith('claude')) return 'anthropic'
  if (model.startsWith('gemini')) return 'vertex_ai'
  return undefined
}
