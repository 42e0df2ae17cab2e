import type { Protocol } from '#platform/core/vocabulary.ts'
import type { SourceModel, SourceProvider } from './source.ts'

/** The protocol and the address of an endpoint. */
export type UpstreamApi = { protocol: Protocol; baseUrl: string }

/**
 * The protocol of each client package in models.dev, and its default address. Missing packages use protocols that are not
 * supported (Bedrock, Vertex, …).
 */
const apiByPackage: Record<string, { protocol: Protocol; baseUrl?: string }> = {
  '@ai-sdk/openai-compatible': { protocol: 'openai-chat' },
  '@openrouter/ai-sdk-provider': { protocol: 'openai-chat' },
  '@ai-sdk/openai': { protocol: 'openai-responses', baseUrl: 'https://api.openai.com/v1' },
  '@ai-sdk/anthropic': { protocol: 'anthropic-messages', baseUrl: 'https://api.anthropic.com/v1' },
  '@ai-sdk/google': { protocol: 'google-gemini', baseUrl: 'https://generativelanguage.googleapis.com/v1beta' },
  // The part of Bedrock that is compatible with OpenAI.
  '@ai-sdk/amazon-bedrock/mantle': { protocol: 'openai-chat' },
  '@ai-sdk/cerebras': { protocol: 'openai-chat', baseUrl: 'https://api.cerebras.ai/v1' },
  '@ai-sdk/cohere': { protocol: 'openai-chat', baseUrl: 'https://api.cohere.ai/compatibility/v1' },
  '@ai-sdk/deepinfra': { protocol: 'openai-chat', baseUrl: 'https://api.deepinfra.com/v1/openai' },
  '@ai-sdk/gateway': { protocol: 'openai-chat', baseUrl: 'https://ai-gateway.vercel.sh/v1' },
  '@ai-sdk/groq': { protocol: 'openai-chat', baseUrl: 'https://api.groq.com/openai/v1' },
  '@ai-sdk/mistral': { protocol: 'openai-chat', baseUrl: 'https://api.mistral.ai/v1' },
  '@ai-sdk/perplexity': { protocol: 'openai-chat', baseUrl: 'https://api.perplexity.ai' },
  '@ai-sdk/togetherai': { protocol: 'openai-chat', baseUrl: 'https://api.together.xyz/v1' },
  '@ai-sdk/vercel': { protocol: 'openai-chat', baseUrl: 'https://api.v0.dev/v1' },
  '@ai-sdk/xai': { protocol: 'openai-chat', baseUrl: 'https://api.x.ai/v1' },
  '@aihubmix/ai-sdk-provider': { protocol: 'openai-chat', baseUrl: 'https://aihubmix.com/v1' },
  'venice-ai-sdk-provider': { protocol: 'openai-chat', baseUrl: 'https://api.venice.ai/api/v1' },
}

const azureResource: Record<string, string> = {
  azure: 'AZURE_RESOURCE_NAME',
  'azure-cognitive-services': 'AZURE_COGNITIVE_SERVICES_RESOURCE_NAME',
}

const protocolByShape: Record<string, Protocol> = { responses: 'openai-responses', completions: 'openai-chat' }

/** Returns the API of an entry, or the reason why the entry cannot be used. */
export function resolveUpstreamApi(provider: SourceProvider, model?: SourceModel): UpstreamApi | string {
  const override = model?.provider
  const name = override?.npm ?? provider.npm
  const api = apiByPackage[name] ?? findAzureApi(name, provider)
  if (!api) return `its protocol (${name}) is not supported`
  const baseUrl = override?.api ?? provider.api ?? api.baseUrl
  if (!baseUrl) return 'no base URL is given'
  return { protocol: protocolByShape[override?.shape ?? ''] ?? api.protocol, baseUrl: withoutOperation(baseUrl) }
}

export const isSameUpstreamApi = (one: UpstreamApi, other: UpstreamApi | string) =>
  typeof other !== 'string' && one.protocol === other.protocol && one.baseUrl === other.baseUrl

function findAzureApi(name: string, { id }: SourceProvider): { protocol: Protocol; baseUrl: string } | undefined {
  const resource = name === '@ai-sdk/azure' ? azureResource[id] : undefined
  if (!resource) return undefined
  return { protocol: 'openai-responses', baseUrl: `https://\${${resource}}.openai.azure.com/openai/v1` }
}

const withoutOperation = (url: string) => url.replace(/\/chat\/completions\/?$/, '').replace(/\/$/, '')

/**
 * Returns the variables whose value is sent as the credential. models.dev also lists variables for accounts, hosts and regions. The
 * keys of AWS are excluded, because requests are not signed with them: Bedrock also accepts a token.
 */
export function findCredentialVariables({ env }: SourceProvider): string[] {
  return env.filter((name) => /(KEY|TOKEN|PAT)(_|$)/.test(name) && !/ACCESS_KEY_ID|SECRET_ACCESS_KEY/.test(name))
}
