import type { Endpoint, Provider } from '#catalogue/index/model.ts'
import { variablesIn } from '#catalogue/sources/expand-url.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { isoTime } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { RequestRecord } from '../record/request-record.ts'
import type { Catalogue, ProviderLookup } from '../request/catalogue-lookup.ts'
import type { EndpointAccess } from '../request/endpoint-access.ts'
import { estimatePrompt } from '../request/prompt-size.ts'
import type { Shut } from './circuit.ts'
import type { Circuits } from './circuits.ts'
import { contextLengthError } from './context-length.ts'
import type { Excluded, Exclusion } from './plan.ts'

/** An endpoint that is not asked, and why. */
type ExcludedEndpoint = Excluded & { shut?: Shut | undefined }

const exclusionTexts: Record<Exclusion, string> = {
  provider_ignored: 'its provider is in provider.ignore',
  provider_not_listed: 'its provider is not in provider.only or provider.order',
  data_policy: 'it does not have the data policy the request asks for',
  quantization: 'its quantization is not in provider.quantizations',
  unsupported_parameter: 'it does not support a parameter of the request',
  unsupported_tool: 'it does not know a tool that the request wants a provider to run',
  unsupported_input: 'it does not take the kind of input the request has',
  one_answer: 'it gives one answer, and n wants more',
  context_too_small: 'the prompt is longer than its context',
  too_expensive: 'it costs more than provider.max_price',
  unconfigured: 'no credential is configured for its provider',
  no_fallbacks: 'provider.allow_fallbacks is false, and another one stands before it',
  unavailable_now: 'its circuit is open, as it failed or limited its rate a moment ago',
}

/** The environment variables in the endpoint's base URL. */
const addressVariables = (provider: Provider | undefined, { baseUrl }: Endpoint) =>
  variablesIn(baseUrl ?? provider?.baseUrl ?? '')

/** The variables that an endpoint needs: any one for its credential, and all that its address names. */
function neededVariables(provider: Provider | undefined, endpoint: Endpoint): string {
  const credential = (provider?.credentialVariables ?? []).join(' or ')
  const needed = [credential, ...addressVariables(provider, endpoint)].filter((names) => names !== '')
  return `${needed.join(' and ')} (for ${endpoint.provider})`
}

type FaultDeps = {
  catalogue: Catalogue<ProviderLookup>
  circuits: Pick<Circuits, 'whyShut'>
  now: () => number
}

type UnservedRequest = {
  chat: ChatRequest
  access: Pick<EndpointAccess, 'circuitOf'>
  record: Pick<RequestRecord, 'noteOpenCircuit'>
}

/** Records the open circuits. @returns the fault with the reasons why no endpoint can serve the request. */
export function noEndpointFault(
  { circuits, catalogue, now }: FaultDeps,
  { access, record, chat }: UnservedRequest,
  excluded: ExcludedEndpoint[],
): Fault {
  const left = excluded.map((one) =>
    one.reason === 'unavailable_now' ? { ...one, shut: circuits.whyShut(access.circuitOf(one.target.endpoint)) } : one,
  )
  for (const { target, shut } of left) if (shut) record.noteOpenCircuit(target, shut)
  return noEndpointMessage(left, now(), catalogue.current().findProvider, chat)
}

/** The tools that a provider would have to run, by their types. */
function ownTools({ tools }: ChatRequest): string {
  const types = (tools ?? []).flatMap((tool) => (tool.function ? [] : [String(tool.type).slice(0, 64)]))
  return [...new Set(types)].slice(0, 10).join(', ')
}

function describedExclusion({ target, reason, lacks, shut }: ExcludedEndpoint) {
  const endpoint = target.endpoint.id
  if (lacks) return { endpoint, reason, parameters: lacks }
  return shut ? { endpoint, reason, circuit: shut.reason, until: isoTime(shut.until) } : { endpoint, reason }
}

/**
 * Says why no endpoint may be asked: what the caller can change is theirs (404), what passes by itself is not (503).
 */
function noEndpointMessage(
  excluded: ExcludedEndpoint[],
  now: number,
  findProvider: (slug: string) => Provider | undefined,
  chat: ChatRequest,
): Fault {
  const waiting = excluded.filter(({ reason }) => reason === 'unavailable_now')
  const reasons = [...new Set(excluded.map(({ reason }) => reason))]
  const metadata = { excluded: excluded.slice(0, 20).map(describedExclusion) }
  if (waiting.length > 0) {
    const until = Math.min(...waiting.map(({ shut }) => shut?.until ?? now + 1000))
    return new Fault(
      'unavailable',
      'No endpoint is available now: each failed or limited its rate a moment ago. Try again later.',
      { retryAfterSeconds: Math.max(1, until - now) / 1000, metadata },
    )
  }
  if (reasons.includes('context_too_small')) return tooLongForAll(excluded, chat, metadata)
  if (reasons.includes('one_answer')) {
    const message =
      'n: no endpoint that can be asked gives more than one answer to this request. Leave n out, and ask once for each answer.'
    return new Fault('invalid', message, { metadata })
  }
  if (reasons.length === 1 && reasons[0] === 'unconfigured') {
    return unconfigured(
      excluded.map(({ target }) => target.endpoint),
      findProvider,
      metadata,
    )
  }
  const why = reasons.map((reason) => exclusionText(reason, excluded, ownTools(chat))).join(', or ')
  return new Fault(
    'not_found',
    excluded.length > 0 ? `No endpoint can serve this request: of each, ${why}.` : 'This model has no endpoint.',
    { metadata },
  )
}

function tooLongForAll(excluded: Excluded[], chat: ChatRequest, metadata: Record<string, unknown>): Fault {
  const tooShort = excluded.filter(({ reason }) => reason === 'context_too_small')
  const limit = Math.max(...tooShort.map(({ target }) => target.endpoint.contextLength))
  const tokens = estimatePrompt(chat)
  const { message, details } = contextLengthError(limit, tokens > limit ? tokens : undefined, metadata)
  return new Fault('invalid', message, details)
}

/** Where a part of the address is missing, a key of the workspace's own would not help, so it is not suggested. */
function unconfigured(
  endpoints: Endpoint[],
  findProvider: (slug: string) => Provider | undefined,
  metadata: Record<string, unknown>,
): Fault {
  const needed = new Set(endpoints.map((endpoint) => neededVariables(findProvider(endpoint.provider), endpoint)))
  const missAddress = endpoints.every(
    (endpoint) => addressVariables(findProvider(endpoint.provider), endpoint).length > 0,
  )
  const set = `Set ${[...needed].join(' or ')} in the environment of the service`
  const message = missAddress
    ? `No provider of this model is set up here. ${set}.`
    : `No provider of this model has a key here. ${set}, or add a key of your own (POST /byok).`
  return new Fault('unavailable', message, { metadata, headers: { 'x-should-retry': 'false' } })
}

function exclusionText(reason: Exclusion, excluded: ExcludedEndpoint[], tools: string): string {
  if (reason === 'unsupported_tool') return `${exclusionTexts[reason]} (${tools})`
  if (reason === 'unsupported_input') {
    const taken = new Set(excluded.flatMap((one) => (one.reason === reason ? one.target.model.inputModalities : [])))
    return `${exclusionTexts[reason]}, but ${[...taken].join(' or ')} (input_modalities in the catalogue)`
  }
  const lacked = new Set(excluded.flatMap(({ lacks = [] }) => lacks))
  if (reason !== 'unsupported_parameter' || lacked.size === 0) return exclusionTexts[reason]
  return `it does not support ${[...lacked].join(' or ')} (supported_parameters in the catalogue)`
}
