import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { isClientTool } from '../pricing/billable-options.ts'
import type { ClientProtocol } from '../protocol/client-protocol.ts'
import { passesThrough } from '../protocol/provider-protocol.ts'
import { toSearchTool } from '../providers/openai/openai-tools.ts'
import { findProviderProtocol } from '../providers/protocols.ts'
import type { Catalogue, ProviderLookup } from '../request/catalogue-lookup.ts'
import type { EndpointAccess } from '../request/endpoint-access.ts'
import { readPreferences } from '../request/preferences.ts'
import { withProviderSlugs } from '../request/provider-names.ts'
import { findNeeds } from '../request/request-needs.ts'
import type { Circuits } from './circuits.ts'
import { createNoEndpointFault } from './no-endpoint-fault.ts'
import type { Candidate, Plan, PlanInput } from './plan.ts'
import { planAttempts } from './plan-attempts.ts'
import { createStickyDraw } from './sticky-draw.ts'

export type PlanDeps = {
  catalogue: Catalogue<ProviderLookup>
  circuits: Pick<Circuits, 'health' | 'restriction'>
  /** The median speed of an endpoint in the last 30 minutes. */
  speeds: PlanInput['speeds']
  now: () => number
}

/** The request that is planned. */
type PlannedRequest = {
  chat: ChatRequest
  client: ClientProtocol
  caller: { workspaceId: string }
  sessionId: string | undefined
  access: EndpointAccess
  /** The estimated length of the prompt; defined if the request allows the prompt to be shortened. */
  promptTokens: number | undefined
  attempts: Parameters<typeof createNoEndpointFault>[1]['attempts']
}

/** The endpoints to try, in order. @throws Fault with the reason if there is none. */
export function planCompletion(deps: PlanDeps, request: PlannedRequest, candidates: Candidate[]): Plan {
  const { chat, client, access, promptTokens } = request
  const preferences = readPreferences(withProviderSlugs(deps.catalogue.current(), chat.provider), chat.route)
  const needs = findNeeds(
    chat,
    findSmallestContext(candidates),
    preferences.requireParameters,
    client.hasSeparateContexts,
  )
  const plan = planAttempts({
    candidates,
    preferences,
    needs: promptTokens === undefined ? needs : { ...needs, promptTokens },
    health: createHealthCache(deps, access),
    speeds: deps.speeds,
    supportsTask: createTaskCheck(deps, client),
    supportsTools: createToolCheck(deps, chat, client),
    supportsChoices: createChoiceCheck(deps, chat, client),
    isConfigured: (endpoint) => access.isConfigured(endpoint),
    draw: createStickyDraw(request),
  })
  if (plan.targets.length > 0) return plan
  throw createNoEndpointFault(deps, request, plan.excludedTargets)
}

/** The health of an endpoint when it is first read: a plan reads it up to three times. */
function createHealthCache({ circuits }: Pick<PlanDeps, 'circuits'>, access: EndpointAccess): PlanInput['health'] {
  const healthByEndpoint = new Map<Endpoint, ReturnType<PlanInput['health']>>()
  return (endpoint) => {
    const cached = healthByEndpoint.get(endpoint)
    if (cached !== undefined) return cached
    const health = circuits.health(access.circuitNameOf(endpoint))
    healthByEndpoint.set(endpoint, health)
    return health
  }
}

function findSmallestContext(candidates: Candidate[]): number {
  let smallest = Number.POSITIVE_INFINITY
  for (const { endpoints } of candidates)
    for (const { contextLength } of endpoints) smallest = Math.min(smallest, contextLength)
  return smallest
}

const always = () => true

/** Whether the endpoint's protocol supports the task of the request. Every protocol supports chats. */
function createTaskCheck(deps: Pick<PlanDeps, 'catalogue'>, { task }: ClientProtocol): (endpoint: Endpoint) => boolean {
  if (task === undefined) return always
  const catalogue = deps.catalogue.current()
  return (endpoint) => findProviderProtocol(endpoint, catalogue.findProvider(endpoint.provider), task) !== undefined
}

/** Whether the endpoint can return `n` choices. A translated or rewritten response has only one. */
function createChoiceCheck(
  deps: Pick<PlanDeps, 'catalogue'>,
  { n }: ChatRequest,
  client: ClientProtocol,
): (endpoint: Endpoint) => boolean {
  if (typeof n !== 'number' || n < 2) return always
  const catalogue = deps.catalogue.current()
  return (endpoint) => {
    const providerProtocol = findProviderProtocol(endpoint, catalogue.findProvider(endpoint.provider))
    return !providerProtocol || (passesThrough(providerProtocol, client.protocol) && !client.rewritesResponses)
  }
}

/** Whether the endpoint supports the provider tools of the request, which matter only if the body is translated. */
function createToolCheck(
  deps: Pick<PlanDeps, 'catalogue'>,
  chat: ChatRequest,
  client: ClientProtocol,
): (endpoint: Endpoint) => boolean {
  const search = toSearchTool(chat)
  const providerTools =
    chat.tools?.filter(({ type = 'function', function: definition }) => !definition || !isClientTool(type)) ?? []
  if (search) providerTools.push(search)
  if (providerTools.length === 0) return always
  const catalogue = deps.catalogue.current()
  return (endpoint) => {
    const providerProtocol = findProviderProtocol(endpoint, catalogue.findProvider(endpoint.provider))
    return (
      !providerProtocol ||
      passesThrough(providerProtocol, client.protocol) ||
      (providerProtocol.supportsTool !== undefined && providerTools.every(providerProtocol.supportsTool))
    )
  }
}
