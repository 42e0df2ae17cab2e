import type { Endpoint, Model } from '#catalogue/index/model.ts'
import type { Config } from '#platform/config/settings.ts'
import type { Region } from '#platform/core/vocabulary.ts'
import {
  findEndpointViolation,
  findModelViolation,
  findRegionViolation,
  type RuleName,
} from '../guardrails/decide/find-violation.ts'
import type { GuardrailRecord } from '../guardrails/guardrail.ts'

/** The stored facts of a request that determine its models, endpoints and region. */
type PastFacts = {
  models: readonly string[]
  endpointId: string | null
  region: Region
  /** The endpoints that could not serve the request when it was sent. */
  incapable?: readonly string[]
  owner?: RequestOwner
}

/** The key and the member of a request, which determine the credentials that it can use. */
export type RequestOwner = { keyHash: string; userId: string }

/** Whether requests of an owner can reach an endpoint now: it has a credential, and its circuit is not open. */
export type IsReachable = (owner: RequestOwner, endpoint: Endpoint) => boolean

/** `rerouted`: the endpoint that answered would be forbidden, and another one could answer instead. */
type PastVerdict = { outcome: 'allowed' | 'unknown' } | { outcome: 'refused' | 'rerouted'; rule: RuleName }

type EvaluatorDeps = {
  guardrail: GuardrailRecord
  findModel: (name: string) => Model | undefined
  vendors: Config['zdr_vendors']
  /** Defaults to a function that returns true for every endpoint. */
  isReachable?: IsReachable | undefined
}

const maxCached = 10_000

/** Evaluates past requests with today's catalogue, like live requests. Caches the verdicts. */
export function createPastEvaluator(deps: EvaluatorDeps): (facts: PastFacts) => PastVerdict {
  const verdicts = new Map<string, PastVerdict>()
  return (facts) => {
    const key = JSON.stringify([facts.models, facts.endpointId, facts.region, facts.incapable, facts.owner])
    const verdict = verdicts.get(key) ?? evaluate(deps, facts)
    if (verdicts.size < maxCached) verdicts.set(key, verdict)
    return verdict
  }
}

/** An endpoint, and the rule that forbids it. */
type EndpointVerdict = { endpoint: Endpoint; rule: RuleName | undefined }

function evaluate(deps: EvaluatorDeps, facts: PastFacts): PastVerdict {
  const { guardrail, findModel } = deps
  const regionVerdict = findRegionViolation([guardrail], facts.region)
  if (regionVerdict) return { outcome: 'refused', rule: regionVerdict.rule }
  const knownModels = facts.models.flatMap((name) => findModel(name) ?? [])
  const endpoints = knownModels.flatMap((model) => evaluateEndpoints(deps, model))
  if (endpoints.some(({ rule }) => rule === undefined)) return evaluateResponse(deps, facts, endpoints)
  // An endpoint that is no longer in the catalogue may have been allowed.
  const rule = endpoints[0]?.rule
  return knownModels.length < facts.models.length || !rule ? { outcome: 'unknown' } : { outcome: 'refused', rule }
}

/** Returns the endpoints of a model, each with the rule that forbids it. */
function evaluateEndpoints({ guardrail, vendors }: EvaluatorDeps, model: Model): EndpointVerdict[] {
  const modelVerdict = findModelViolation([guardrail], model)
  return model.endpoints.map((endpoint) => ({
    endpoint,
    rule: (modelVerdict ?? findEndpointViolation([guardrail], model, endpoint, vendors))?.rule,
  }))
}

/** Evaluates a request with at least one allowed endpoint, by the endpoint that answered. */
function evaluateResponse(
  { isReachable }: EvaluatorDeps,
  { endpointId, incapable = [], owner }: PastFacts,
  endpoints: readonly EndpointVerdict[],
): PastVerdict {
  const forbiddenBy = endpoints.find(({ endpoint, rule }) => rule && endpoint.id === endpointId)?.rule
  if (!forbiddenBy) return { outcome: 'allowed' }
  const canServe = (endpoint: Endpoint) =>
    !incapable.includes(endpoint.id) && (!isReachable || !owner || isReachable(owner, endpoint))
  const hasAlternative = endpoints.some(({ endpoint, rule }) => rule === undefined && canServe(endpoint))
  return { outcome: hasAlternative ? 'rerouted' : 'refused', rule: forbiddenBy }
}
