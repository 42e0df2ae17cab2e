import type { Endpoint, Model } from '#catalogue/index/model.ts'
import type { Config } from '#platform/config/settings.ts'
import type { Region } from '#platform/core/vocabulary.ts'
import { judgeEndpoint, judgeModel, judgeRegion, type RuleName } from '../guardrails/decide/judge.ts'
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

type PastJudgeDeps = {
  guardrail: GuardrailRecord
  findModel: (name: string) => Model | undefined
  vendors: Config['zdr_vendors']
  /** By default every endpoint is reachable. */
  isReachable?: IsReachable | undefined
}

const maxCached = 10_000

/** Evaluates past requests with today's catalogue, like live requests. Caches the verdicts. */
export function createPastJudge(deps: PastJudgeDeps): (facts: PastFacts) => PastVerdict {
  const verdicts = new Map<string, PastVerdict>()
  return (facts) => {
    const key = JSON.stringify([facts.models, facts.endpointId, facts.region, facts.incapable, facts.owner])
    const verdict = verdicts.get(key) ?? judge(deps, facts)
    if (verdicts.size < maxCached) verdicts.set(key, verdict)
    return verdict
  }
}

function judge(
  { guardrail, findModel, vendors, isReachable }: PastJudgeDeps,
  { models, endpointId, region, incapable = [], owner }: PastFacts,
): PastVerdict {
  const regionVerdict = judgeRegion([guardrail], region)
  if (regionVerdict) return { outcome: 'refused', rule: regionVerdict.rule }
  const knownModels = models.flatMap((name) => findModel(name) ?? [])
  const judgedEndpoints = knownModels.flatMap((model) =>
    model.endpoints.map((endpoint) => ({ endpoint, rule: findRule(model, endpoint) })),
  )
  const forbiddenEndpoints = judgedEndpoints.flatMap(({ endpoint, rule }) => (rule ? [{ endpoint, rule }] : []))
  if (forbiddenEndpoints.length < judgedEndpoints.length) {
    const answeringEndpoint = forbiddenEndpoints.find(({ endpoint }) => endpoint.id === endpointId)
    if (!answeringEndpoint) return { outcome: 'allowed' }
    const hasAlternative = judgedEndpoints.some(({ endpoint, rule }) => rule === undefined && canServe(endpoint))
    return { outcome: hasAlternative ? 'rerouted' : 'refused', rule: answeringEndpoint.rule }
  }
  // An endpoint that is no longer in the catalogue may have been allowed.
  const [first] = forbiddenEndpoints
  if (knownModels.length < models.length || !first) return { outcome: 'unknown' }
  return { outcome: 'refused', rule: first.rule }

  function canServe(endpoint: Endpoint): boolean {
    return !incapable.includes(endpoint.id) && (!isReachable || !owner || isReachable(owner, endpoint))
  }
  function findRule(model: Model, endpoint: Endpoint): RuleName | undefined {
    return (judgeModel([guardrail], model) ?? judgeEndpoint([guardrail], model, endpoint, vendors))?.rule
  }
}
