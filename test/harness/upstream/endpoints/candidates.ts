import type { Endpoint, Model, Prices } from '#catalogue/index/model.ts'
import type { Candidate, PlanInput, Preferences, RequestNeeds, Speeds } from '#gateway/plan/plan.ts'
import { computeDraw } from '#gateway/plan/sticky-draw.ts'
import { readPreferences } from '#gateway/request/preferences.ts'

/** An endpoint that supports everything, except for the given properties. */
export function endpointOf(provider: string, more: Partial<Endpoint> = {}, modelId = 'a/m'): Endpoint {
  const tag = more.tag ?? provider
  return {
    id: `${modelId}@${tag}`,
    provider,
    tag,
    name: `${provider} | ${modelId}`,
    upstreamModel: modelId,
    contextLength: 100_000,
    maxCompletionTokens: null,
    maxPromptTokens: null,
    quantization: 'unknown',
    prices: pricesOf(1, 1),
    supportedParameters: ['tools', 'temperature', 'structured_outputs'],
    supportsImplicitCaching: false,
    toolChoice: { auto: true, none: true, required: true, function: true },
    regions: [],
    zeroDataRetention: false,
    trainsOnData: false,
    publishesPrompts: false,
    moderated: false,
    ...more,
  }
}

/** USD per million tokens, as the catalogue writes it per token. */
export function pricesOf(prompt: number, completion: number, more: Partial<Prices> = {}): Prices {
  const perToken = (usd: number) => (usd / 1e6).toFixed(12).replace(/\.?0+$/, '') || '0'
  return { prompt: perToken(prompt), completion: perToken(completion), ...more }
}

export function candidateOf(endpoints: Endpoint[], id = 'a/m', sort?: Candidate['sort']): Candidate {
  return { model: { id, endpoints, inputModalities: ['text'] as string[] } as Model, endpoints, ...(sort && { sort }) }
}

type EndpointState = Speeds & { circuit: ReturnType<PlanInput['health']> }

const healthyState: EndpointState = { circuit: 'healthy', latencyMs: null, throughput: null }

type Situation = {
  candidates?: Candidate[]
  endpoints?: Endpoint[]
  provider?: Parameters<typeof readPreferences>[0]
  preferences?: Partial<Preferences>
  needs?: Partial<RequestNeeds>
  standings?: Record<string, Partial<EndpointState>>
  unconfigured?: string[]
  seed?: number
}

/**
 * The input of a plan. Every provider is healthy, unmeasured and configured, except for those that `standings` and
 * `unconfigured` name.
 */
export function planInput(situation: Situation): PlanInput {
  const { endpoints = [], candidates = [candidateOf(endpoints)], standings = {}, unconfigured = [] } = situation
  const stateOf = ({ provider }: Endpoint): EndpointState => ({ ...healthyState, ...standings[provider] })
  return {
    candidates,
    preferences: { ...readPreferences(situation.provider), ...situation.preferences },
    needs: { parameters: [], required: [], inputModalities: [], promptTokens: 0, ...situation.needs },
    health: (endpoint) => stateOf(endpoint).circuit,
    speeds: stateOf,
    supportsTools: () => true,
    supportsTask: () => true,
    supportsChoices: () => true,
    isConfigured: ({ provider }) => !unconfigured.includes(provider),
    draw: ({ id }) => computeDraw(situation.seed ?? 1, id),
  }
}
