import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import type { CompletionContext } from '../completion-call.ts'
import type { RoutingDeps } from '../deps.ts'
import { type ClientProtocol, passes } from '../protocol/protocol.ts'
import { providerProtocolOf } from '../providers/protocols.ts'
import { preferencesOf } from '../request/preferences.ts'
import { needsOf } from '../request/request-needs.ts'
import { noEndpointFault } from './no-endpoint-fault.ts'
import type { Candidate, Plan } from './plan.ts'
import { planAttempts } from './plan-attempts.ts'
import { drawsFor } from './sticky-draw.ts'

/** The endpoints to try, in order. @throws Fault with the reason if there is none. */
export function planCompletion(deps: RoutingDeps, context: CompletionContext, candidates: Candidate[]): Plan {
  const { chat, client, accesses, circuitOf, promptTokens } = context
  const catalogue = deps.catalogue.current()
  const needs = needsOf(chat, smallestContext(candidates))
  const plan = planAttempts({
    candidates,
    preferences: preferencesOf(chat.provider, chat.route),
    needs: promptTokens === undefined ? needs : { ...needs, promptTokens },
    health: (endpoint) => deps.circuits.health(circuitOf(endpoint)),
    speeds: deps.speeds,
    knowsTools: toolsKnown(deps, chat, client),
    givesAnswers: answersGiven(deps, chat, client),
    configured: (endpoint) => {
      const provider = catalogue.findProvider(endpoint.provider)
      return provider !== undefined && accesses.find(provider, endpoint) !== undefined
    },
    draw: drawsFor(context),
  })
  if (plan.targets.length > 0) return plan
  throw noEndpointFault(deps, context, plan.excluded)
}

function smallestContext(candidates: Candidate[]): number {
  let smallest = Number.POSITIVE_INFINITY
  for (const { endpoints } of candidates)
    for (const { contextLength } of endpoints) smallest = Math.min(smallest, contextLength)
  return smallest
}

/** Several choices (`n` > 1) are only passed through. A translated or rewritten answer has one choice. */
function answersGiven(deps: RoutingDeps, { n }: ChatRequest, client: ClientProtocol): (endpoint: Endpoint) => boolean {
  if (typeof n !== 'number' || n < 2) return () => true
  const catalogue = deps.catalogue.current()
  return (endpoint) => {
    const providerProtocol = providerProtocolOf(endpoint, catalogue.findProvider(endpoint.provider))
    return !providerProtocol || (passes(providerProtocol, client.protocol) && !client.rewrites)
  }
}

/** Endpoints that know the provider tools of a request whose body is translated rather than passed through. */
function toolsKnown(
  deps: RoutingDeps,
  { tools }: ChatRequest,
  client: ClientProtocol,
): (endpoint: Endpoint) => boolean {
  const own = tools?.filter((tool) => !tool.function) ?? []
  if (own.length === 0) return () => true
  const catalogue = deps.catalogue.current()
  return (endpoint) => {
    const providerProtocol = providerProtocolOf(endpoint, catalogue.findProvider(endpoint.provider))
    return (
      !providerProtocol ||
      passes(providerProtocol, client.protocol) ||
      (providerProtocol.knowsTool !== undefined && own.every(providerProtocol.knowsTool))
    )
  }
}
