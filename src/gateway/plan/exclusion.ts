import type { Endpoint, Model } from '#catalogue/index/model.ts'
import { pricePerMillion } from './comparable-price.ts'
import type { ExcludedTarget, Exclusion, PlanInput, Preferences, Target } from './plan.ts'

/** Why an endpoint cannot serve a request; undefined if it can. */
export function findExclusion(model: Model, endpoint: Endpoint, input: PlanInput): Exclusion | undefined {
  const { preferences, needs, isConfigured, health } = input
  const { ignore, only, order } = preferences
  if (!input.supportsTask(endpoint)) return 'unsupported_task'
  if (ignore && isListedIn(endpoint, ignore)) return 'provider_ignored'
  if (only && !isListedIn(endpoint, only)) return 'provider_not_listed'
  if (order && !preferences.allowFallbacks && !isListedIn(endpoint, order)) return 'provider_not_listed'
  if (preferences.zdr && !endpoint.zeroDataRetention) return 'data_policy'
  if (preferences.dataCollection === 'deny' && (endpoint.trainsOnData || endpoint.publishesPrompts))
    return 'data_policy'
  if (preferences.quantizations && !preferences.quantizations.includes(endpoint.quantization)) return 'quantization'
  if (neededParameters(input).some((name) => !endpoint.supportedParameters.includes(name)))
    return 'unsupported_parameter'
  if (!input.supportsTools(endpoint)) return 'unsupported_tool'
  if (!needs.inputModalities.every((kind) => model.inputModalities.includes(kind))) return 'unsupported_input'
  if (needs.promptTokens > endpoint.contextLength) return 'context_too_small'
  if (preferences.maxPrice && exceedsMaxPrice(endpoint, preferences.maxPrice)) return 'too_expensive'
  if (!isConfigured(endpoint)) return 'unconfigured'
  // Checked late: if this is the reported reason, the request works without `n`.
  if (!input.supportsChoices(endpoint)) return 'one_answer'
  if (health(endpoint) === 'unavailable') return 'unavailable_now'
  return undefined
}

const neededParameters = ({ preferences, needs }: PlanInput) =>
  preferences.requireParameters ? needs.parameters : needs.required

export function describeExcluded(reason: Exclusion, target: Target, input: PlanInput): ExcludedTarget {
  if (reason !== 'unsupported_parameter') return { target, reason }
  const { supportedParameters } = target.endpoint
  return {
    target,
    reason,
    missingParameters: neededParameters(input).filter((name) => !supportedParameters.includes(name)),
  }
}

const isListedIn = (endpoint: Endpoint, names: string[]) => names.some((name) => isNamed(endpoint, name))

/** A provider is named by its slug; a tag names one of its endpoints. */
export function isNamed(endpoint: Endpoint, name: string): boolean {
  const lower = name.toLowerCase()
  return lower === endpoint.provider || lower === endpoint.tag
}

function exceedsMaxPrice({ prices }: Endpoint, max: NonNullable<Preferences['maxPrice']>): boolean {
  const exceeds = (price: string | undefined, bound: number | undefined, usdOf: (price: string) => number) =>
    bound !== undefined && price !== undefined && usdOf(price) > bound
  return (
    exceeds(prices.prompt, max.prompt, pricePerMillion) ||
    exceeds(prices.completion, max.completion, pricePerMillion) ||
    exceeds(prices.request, max.request, Number) ||
    exceeds(prices.image, max.image, Number)
  )
}
