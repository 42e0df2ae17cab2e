import { measureTools, upperPromptEstimate } from '#chat/tokens/prompt-size.ts'
import { runInSlices } from '#platform/async/long-work.ts'
import { readRequestTags } from '#spend/ledger/request-tags.ts'
import { failureFromStatus, toClientFault } from './attempt/failure/failure.ts'
import { fetchSmallJson } from './attempt/fetch-small-json.ts'
import { maskSecrets } from './attempt/secrets/mask-secrets.ts'
import { bodyForUpstream } from './attempt/target-encoding.ts'
import { resolveAddress } from './attempt/upstream-request.ts'
import type { CompletionCall } from './completion-call.ts'
import type { GatewayDeps } from './deps.ts'
import { findExclusion } from './plan/exclusion.ts'
import type { PlanInput, Target } from './plan/plan.ts'
import { encodeBody, encodeBodyInSteps } from './protocol/encoded-body.ts'
import type { Body } from './protocol/request-body.ts'
import { findProviderProtocol } from './providers/protocols.ts'
import { readPreferences } from './request/preferences.ts'
import { prepareRequest } from './request/prepared-request.ts'
import { withProviderSlugs } from './request/provider-names.ts'
import { resolveModels } from './request/resolve-models.ts'

type TokenCount = { tokens: number; isEstimated: boolean }

type CountDeps = Pick<GatewayDeps, 'catalogue' | 'credentials' | 'policy' | 'presets' | 'upstreams' | 'timeouts'>

type CountCall = Pick<CompletionCall, 'caller' | 'client' | 'body' | 'headers' | 'host' | 'pause' | 'requestId'>

/**
 * An input of `findExclusion` that excludes no endpoint. With the preferences of the request, it excludes the providers to
 * which the prompt must not be sent, not even for counting.
 */
const neutralPlanInput: Omit<PlanInput, 'preferences' | 'candidates'> = {
  needs: { parameters: [], required: [], inputModalities: [], promptTokens: 0 },
  health: () => 'healthy',
  speeds: () => ({ latencyMs: null, throughput: null }),
  supportsTask: () => true,
  supportsTools: () => true,
  isConfigured: () => true,
  supportsChoices: () => true,
  draw: () => 0.5,
}

/**
 * Counts the tokens of a request. An upstream of the client's protocol counts them; without one, they are estimated. A
 * request that guardrails forbid is not sent for counting either.
 */
export async function countTokens(deps: CountDeps, call: CountCall): Promise<TokenCount> {
  const { chat: request, body } = await prepareRequest(deps, call)
  if (call.pause) await call.pause()
  const candidates = resolveModels(deps.catalogue.current(), request)
  const { caller, client, host } = call
  const { protocol } = client
  const groups = { sessionId: undefined, tags: readRequestTags(request.metadata) }
  const decision = await deps.policy.decide({ caller, host, groups, chat: request, body, protocol, candidates })
  // Only endpoints of the first model count, because each model has its own tokens.
  const [first] = decision.candidates
  const preferences = withProviderSlugs(deps.catalogue.current(), request.provider)
  const planInput = { ...neutralPlanInput, preferences: readPreferences(preferences, request.route), candidates }
  const { model, endpoints = [] } = first ?? {}
  for (const endpoint of endpoints) {
    if (!model || findExclusion(model, endpoint, planInput)) continue
    const isLimited = decision.spending.budgets.length > 0
    const tokens = await countAtEndpoint(deps, call, { body: decision.body, isLimited }, { model, endpoint })
    if (tokens !== undefined) return { tokens, isEstimated: false }
  }
  if (call.pause) {
    await call.pause()
    await runInSlices(measureTools(decision.chat), call.pause)
  }
  return { tokens: upperPromptEstimate(decision.chat), isEstimated: true }
}

/** Undefined if the endpoint cannot count or does not answer. @throws Fault if it refuses the request. */
async function countAtEndpoint(
  deps: CountDeps,
  { caller, client, headers: requestHeaders, pause }: CountCall,
  { body, isLimited }: { body: Body; isLimited: boolean },
  target: Target,
): Promise<number | undefined> {
  const { endpoint } = target
  const provider = deps.catalogue.current().findProvider(endpoint.provider)
  const providerProtocol = findProviderProtocol(endpoint, provider)
  if (!provider || !providerProtocol?.countTokens || providerProtocol.protocol !== client.protocol) return undefined
  const access = (await deps.credentials.of(caller)).find(provider, endpoint)
  if (!access) return undefined
  const protocolTarget = { endpoint, credential: access.secret, stream: false }
  if (pause) await pause()
  const encoded = providerProtocol.countTokens.request(bodyForUpstream(body, client), protocolTarget)
  if (pause) await pause()
  const writtenBody = pause ? await runInSlices(encodeBodyInSteps(encoded), pause) : encodeBody(encoded)
  const response = await fetchSmallJson(deps, {
    ...resolveAddress(providerProtocol.origin ?? access.baseUrl, encoded.path),
    headers: {
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      ...encoded.headers,
      ...client.upstreamHeaders?.(requestHeaders, { body, isLimited }),
    },
    body: writtenBody,
  })
  if (!response) return undefined
  if (response.status < 300) return providerProtocol.countTokens.read(response.body)
  const providerMessage = maskSecrets(providerProtocol.readErrorMessage(response.body) ?? '', access.secret)
  const failure = failureFromStatus(response.status, providerMessage || undefined)
  // 404: the endpoint cannot count tokens. The request is not refused because of that.
  if (failure.isCausedByEndpoint || response.status === 404) return undefined
  throw toClientFault(failure, target)
}
