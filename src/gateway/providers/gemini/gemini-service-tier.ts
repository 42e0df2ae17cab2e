import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { ownValue } from '#platform/core/own-value.ts'
import { readRequestedTier } from '../../pricing/billable-options.ts'

type Tiered = Pick<ChatRequest, 'service_tier'>

/** The tiers of Gemini that a request names. The standard one needs no field. */
const geminiTiers: ReadonlySet<unknown> = new Set(['flex', 'priority'])

/** The tier to request. Undefined for the standard one, and for tiers that Gemini lacks. */
export function findGeminiTier({ service_tier: tier }: Tiered): string | undefined {
  return geminiTiers.has(tier) ? tier! : undefined
}

/** Whether Gemini lacks the requested tier. */
export const isUnknownTier = (chat: Tiered): boolean =>
  readRequestedTier(chat) !== undefined && findGeminiTier(chat) === undefined

/** Vertex AI refuses the field `serviceTier` of Google's public API, and reads this header instead. */
const vertexTierHeader = 'x-vertex-ai-llm-shared-request-type'

const isVertex = ({ provider, baseUrl }: Endpoint) =>
  /\bvertex\b/.test(provider) || (baseUrl?.includes('aiplatform.googleapis.com') ?? false)

/** The tier as the field or the header of a request. */
export function encodeServiceTier(
  chat: Tiered,
  endpoint: Endpoint,
): { fields: object; headers: Record<string, string> } {
  const serviceTier = findGeminiTier(chat)
  if (serviceTier === undefined) return { fields: {}, headers: {} }
  return isVertex(endpoint)
    ? { fields: {}, headers: { [vertexTierHeader]: serviceTier } }
    : { fields: { serviceTier }, headers: {} }
}

/** The types of traffic by which Vertex AI reports the tier. */
const tiersByTraffic: Record<string, string> = {
  ON_DEMAND: 'standard',
  ON_DEMAND_FLEX: 'flex',
  ON_DEMAND_PRIORITY: 'priority',
}

/** The tier that a response reports. */
export function readServiceTier({ serviceTier, trafficType }: { serviceTier?: string; trafficType?: string }): unknown {
  if (serviceTier === 'unspecified') return 'standard'
  return serviceTier ?? ownValue(tiersByTraffic, String(trafficType))
}
