import type { Endpoint, Provider } from '#catalogue/index/model.ts'
import { findVariables } from '#catalogue/sources/expand-url.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { estimatePrompt } from '#chat/tokens/prompt-size.ts'
import { isoTime } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { ClientProtocol } from '../protocol/client-protocol.ts'
import type { AttemptNotes } from '../record/attempt-notes.ts'
import type { Catalogue, ProviderLookup } from '../request/catalogue-lookup.ts'
import type { EndpointAccess } from '../request/endpoint-access.ts'
import type { Restriction } from './circuit-health.ts'
import type { Circuits } from './circuits.ts'
import { contextLengthError } from './context-length.ts'
import type { ExcludedTarget, Exclusion } from './plan.ts'

/** An excluded endpoint, with the restriction if its circuit is open. */
type ExcludedEndpoint = ExcludedTarget & { restriction?: Restriction | undefined }

const exclusionTexts: Record<Exclusion, string> = {
  unsupported_task: 'its protocol does not support this operation',
  provider_ignored: 'its provider is in provider.ignore',
  provider_not_listed: 'its provider is not in provider.only or provider.order',
  data_policy: 'it does not have the requested data policy',
  quantization: 'its quantization is not in provider.quantizations',
  unsupported_parameter: 'it does not support a parameter of the request',
  unsupported_tool: 'it does not support a provider tool of the request',
  unsupported_input: 'it does not support a kind of input in the request',
  one_answer: 'it returns one choice, and n requests more',
  context_too_small: 'the prompt is longer than its context',
  too_expensive: 'it costs more than provider.max_price',
  unconfigured: 'no credential is configured for its provider',
  no_fallbacks: 'provider.allow_fallbacks is false, and another endpoint ranks higher',
  unavailable_now: 'its circuit is open after recent failures or a rate limit',
}

/** The environment variables in the endpoint's base URL. */
const addressVariables = (provider: Provider | undefined, { baseUrl }: Endpoint) =>
  findVariables(baseUrl ?? provider?.baseUrl ?? '')

/** The variables that an endpoint needs: one of them for its credential, and all that its base URL contains. */
function neededVariables(provider: Provider | undefined, endpoint: Endpoint): string {
  const credential = (provider?.credentialVariables ?? []).join(' or ')
  const variables = [credential, ...addressVariables(provider, endpoint)].filter((names) => names !== '')
  return `${variables.join(' and ')} (for ${endpoint.provider})`
}

type FaultDeps = {
  catalogue: Catalogue<ProviderLookup>
  circuits: Pick<Circuits, 'restriction'>
  now: () => number
}

type UnservedRequest = {
  chat: ChatRequest
  client?: Pick<ClientProtocol, 'hasSeparateContexts'>
  access: Pick<EndpointAccess, 'circuitNameOf'>
  attempts: Pick<AttemptNotes, 'noteOpenCircuit'>
}

/** Records the open circuits. @returns the fault with the reasons why no endpoint can serve the request. */
export function createNoEndpointFault(
  { circuits, catalogue, now }: FaultDeps,
  { access, attempts, chat, client }: UnservedRequest,
  excluded: ExcludedEndpoint[],
): Fault {
  const withRestrictions = excluded.map((exclusion) =>
    exclusion.reason === 'unavailable_now'
      ? { ...exclusion, restriction: circuits.restriction(access.circuitNameOf(exclusion.target.endpoint)) }
      : exclusion,
  )
  for (const { target, restriction } of withRestrictions) if (restriction) attempts.noteOpenCircuit(target, restriction)
  return createExclusionFault(withRestrictions, now(), catalogue.current().findProvider, { chat, client })
}

/** Limits the error, because requests and catalogues can have any number of tools and endpoints. */
const maxToolTypes = 10
const maxTypeLength = 64
const maxListedEndpoints = 20

/** The types of tools in the request that a provider would have to run. */
function providerToolTypes(chat: ChatRequest): string {
  const types = (chat.tools ?? []).flatMap((tool) => (tool.function ? [] : [String(tool.type).slice(0, maxTypeLength)]))
  if ((chat as { web_search_options?: unknown }).web_search_options != null) types.push('web_search_options')
  return [...new Set(types)].slice(0, maxToolTypes).join(', ')
}

function exclusionMetadata({ target, reason, missingParameters, restriction }: ExcludedEndpoint) {
  const endpoint = target.endpoint.id
  if (missingParameters) return { endpoint, reason, parameters: missingParameters }
  return restriction
    ? { endpoint, reason, circuit: restriction.reason, until: isoTime(restriction.until) }
    : { endpoint, reason }
}

/** The time until a request is tried again at an endpoint that has recovered. */
const recoveredWaitMs = 1000

/** Reasons that the caller can change give 404 or 400, transient ones and missing credentials 503. */
function createExclusionFault(
  excluded: ExcludedEndpoint[],
  now: number,
  findProvider: (slug: string) => Provider | undefined,
  { chat, client }: Pick<UnservedRequest, 'chat' | 'client'>,
): Fault {
  const waitingEndpoints = excluded.filter(({ reason }) => reason === 'unavailable_now')
  const reasons = [...new Set(excluded.map(({ reason }) => reason))]
  const metadata = { excluded: excluded.slice(0, maxListedEndpoints).map(exclusionMetadata) }
  if (waitingEndpoints.length > 0) return createTryLaterFault(waitingEndpoints, now, metadata)
  if (reasons.includes('context_too_small'))
    return createPromptTooLongFault(excluded, longestPrompt(chat, client), metadata)
  if (reasons.includes('one_answer')) {
    const message =
      'n: no available endpoint returns more than one choice for this request. Omit n, and send one request per choice.'
    return new Fault('invalid', message, { metadata })
  }
  if (reasons.length === 1 && reasons[0] === 'unconfigured') {
    return createUnconfiguredFault(
      excluded.map(({ target }) => target.endpoint),
      findProvider,
      metadata,
    )
  }
  if (excluded.length === 0) return new Fault('not_found', 'This model has no endpoint.', { metadata })
  return createUnservableFault(reasons, { excluded, findProvider, tools: providerToolTypes(chat) }, metadata)
}

function createTryLaterFault(
  waitingEndpoints: ExcludedEndpoint[],
  now: number,
  metadata: Record<string, unknown>,
): Fault {
  // A circuit without a restriction has recovered since the plan was made, so the client can try again soon.
  const until = Math.min(...waitingEndpoints.map(({ restriction }) => restriction?.until ?? now + recoveredWaitMs))
  return new Fault(
    'unavailable',
    'No endpoint is available: each failed or was rate-limited recently. Try again later.',
    { retryAfterSeconds: Math.max(1, until - now) / 1000, metadata },
  )
}

function createUnservableFault(
  reasons: readonly Exclusion[],
  facts: ExclusionFacts,
  metadata: Record<string, unknown>,
): Fault {
  const reasonTexts = reasons.map((reason) => exclusionText(reason, facts)).join(', or ')
  // The model exists, and answers without the tool.
  const isAboutTools = reasons.every((reason) => reason === 'unsupported_tool')
  const advice = isAboutTools ? ' Remove the tool, or choose a model whose provider runs it.' : ''
  const message = `No endpoint can serve this request: for each, ${reasonTexts}.${advice}`
  return new Fault(isAboutTools ? 'invalid' : 'not_found', message, { metadata })
}

/** The estimated tokens of the longest prompt, if each message is one. */
function longestPrompt(chat: ChatRequest, client: UnservedRequest['client']): number {
  if (!client?.hasSeparateContexts) return estimatePrompt(chat)
  return Math.max(...chat.messages.map((message) => estimatePrompt({ messages: [message] })))
}

function createPromptTooLongFault(
  excluded: ExcludedTarget[],
  tokens: number,
  metadata: Record<string, unknown>,
): Fault {
  const contextTooSmall = excluded.filter(({ reason }) => reason === 'context_too_small')
  const limit = Math.max(...contextTooSmall.map(({ target }) => target.endpoint.contextLength))
  const { message, details } = contextLengthError(limit, tokens > limit ? tokens : undefined, metadata)
  return new Fault('invalid', message, details)
}

/**
 * Creates the fault for endpoints without a credential. It suggests a BYOK key. If the address of every endpoint needs a variable, a
 * key alone would not help, and the fault suggests only the variables.
 */
function createUnconfiguredFault(
  endpoints: Endpoint[],
  findProvider: (slug: string) => Provider | undefined,
  metadata: Record<string, unknown>,
): Fault {
  const variables = new Set(endpoints.map((endpoint) => neededVariables(findProvider(endpoint.provider), endpoint)))
  const allNeedAddress = endpoints.every(
    (endpoint) => addressVariables(findProvider(endpoint.provider), endpoint).length > 0,
  )
  const setVariables = `Set ${[...variables].join(' or ')} in the environment of the service`
  const message = allNeedAddress
    ? `No provider of this model is configured. ${setVariables}.`
    : `No provider of this model has a key. ${setVariables}, or add your own key (POST /byok).`
  // Official clients repeat a request that ends with 503 otherwise.
  return new Fault('unavailable', message, { metadata, headers: { 'x-should-retry': 'false' } })
}

type ExclusionFacts = {
  excluded: ExcludedEndpoint[]
  findProvider: (slug: string) => Provider | undefined
  tools: string
}

function exclusionText(reason: Exclusion, { excluded, findProvider, tools }: ExclusionFacts): string {
  if (reason === 'unsupported_task') {
    const protocols = new Set(
      excluded
        .filter((exclusion) => exclusion.reason === reason)
        .map(({ target: { endpoint } }) => endpoint.protocol ?? findProvider(endpoint.provider)?.protocol ?? 'none'),
    )
    return `its protocol (${[...protocols].join(' or ')}) does not support this operation here (docs/providers.md)`
  }
  if (reason === 'unsupported_tool') return `${exclusionTexts[reason]} (${tools})`
  if (reason === 'unsupported_input') {
    const supportedModalities = new Set(
      excluded.filter((exclusion) => exclusion.reason === reason).flatMap(({ target }) => target.model.inputModalities),
    )
    return `${exclusionTexts[reason]}, but ${[...supportedModalities].join(' or ')} (input_modalities in the catalogue)`
  }
  const lackingParameters = new Set(excluded.flatMap(({ missingParameters = [] }) => missingParameters))
  if (reason !== 'unsupported_parameter' || lackingParameters.size === 0) return exclusionTexts[reason]
  return `it does not support ${[...lackingParameters].join(' or ')} (supported_parameters in the catalogue)`
}
