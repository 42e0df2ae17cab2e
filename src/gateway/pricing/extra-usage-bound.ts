import type { Endpoint, Model, Prices } from '#catalogue/index/model.ts'
import { findSibling } from '#catalogue/index/names/sibling-endpoints.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { ownValue } from '#platform/core/own-value.ts'
import type { RequestFormat } from '#platform/core/vocabulary.ts'
import { getRequestMedia } from '../media/requested-media.ts'
import { type ProviderProtocol, passesThrough } from '../protocol/provider-protocol.ts'
import type { Body } from '../protocol/request-body.ts'
import { type BillableOptions, noBillableOptions, type ProviderTool } from './billable-options.ts'
import {
  type ExtraTokenType,
  findUnpricedOptions,
  findUnpricedTokenTypes,
  type MissingPrice,
  type RequestedTokenType,
} from './missing-prices.ts'

/** A request in two formats: the client's `body`, for upstreams of the same protocol, and the `chat` request, for all others. */
export type RequestBodies = { chat: ChatRequest; body: Body }

/** A request in both formats, with the protocol of `body` if it is known. */
export type BodiesWithProtocol = RequestBodies & { protocol?: RequestFormat }

/** An endpoint that can serve a request, and its model if that is known. */
export type EndpointWithModel = { endpoint: Endpoint; model?: Pick<Model, 'inputModalities' | 'outputModalities'> }
type BillingProtocol = Partial<Pick<ProviderProtocol, 'protocol' | 'passThrough' | 'billableOptions'>> | undefined

/** The most that one endpoint can bill for a request in addition to text. Computed before the request is sent. */
export type ExtraUsageBound = {
  /** The number of units with separate prices, such as images and tool calls, by the name of the unit in the prices. */
  unitCounts: Record<string, number>
  serviceTier: string | undefined
  tokenTypes: readonly ExtraTokenType[]
  tools: readonly ProviderTool[]
  /**
   * How many times the provider can bill a prompt as long as the context, because provider tools add results of unknown size
   * to the prompt. 0 without provider tools: then the prompt bounds itself.
   */
  contextReads: number
  /** How many times the model can read the prompt and respond: 2 if it can first compact the conversation. */
  modelPasses: 1 | 2
  /** The number of images in the prompt, if images have a price; otherwise 0. */
  promptImages: number
  /** The models that provider tools call. */
  toolModels: readonly ToolModel[]
  /** Whether the prompt has audio parts. Video and files, which can contain audio, do not count. */
  hasAudio: boolean
  unpriced: readonly MissingPrice[]
  /** The fields that would limit the calls of a tool, and that the request does not set. */
  missingCallLimits: readonly string[]
}

/** A model that a tool calls, by the provider's name, and the most tokens that it reads and generates in all calls. */
type ToolModel = { name: string; prices: Prices; prompt: number; completion: number }

/** The assumed number of calls of a provider tool for which no field sets a limit. */
const assumedCallLimit = 16
/** The assumed maximum of images in one response. */
const assumedResponseImages = 4

/** Bounds what an endpoint can bill in addition to text. Undefined if it can bill only text, as for most requests. */
export function computeExtraUsageBound(
  request: BodiesWithProtocol,
  target: EndpointWithModel,
  providerProtocol: BillingProtocol,
): ExtraUsageBound | undefined {
  const { endpoint } = target
  const options = readBillableOptions(request, endpoint, providerProtocol)
  const requestedTypes = findExtraTokenTypes(request.chat, target)
  const imageCounts = countImages(request.chat, endpoint, requestedTypes)
  const hasBillableOptions = options.tools.length > 0 || options.serviceTier || options.canCompact
  if (!hasBillableOptions && requestedTypes.length === 0 && !imageCounts.image) return undefined
  const { callsByUnit, totalCalls } = countToolCalls(options.tools)
  const { imageCount, hasAudio } = getRequestMedia(request.chat)
  return {
    unitCounts: addCounts(imageCounts, callsByUnit),
    serviceTier: options.serviceTier,
    tokenTypes: requestedTypes.map(({ type }) => type),
    tools: options.tools,
    contextReads: countContextReads(options, totalCalls),
    modelPasses: options.canCompact ? 2 : 1,
    promptImages: endpoint.prices.image === undefined ? 0 : imageCount,
    toolModels: options.tools.flatMap((tool) => findToolModel(tool, endpoint) ?? []),
    hasAudio,
    unpriced: [...findUnpricedTokenTypes(endpoint, requestedTypes), ...findUnpricedOptions(endpoint, options)],
    missingCallLimits: options.tools.flatMap(({ maxCalls, limitField }) =>
      maxCalls === undefined && limitField ? [limitField] : [],
    ),
  }
}

function readBillableOptions(
  { chat, body, protocol }: BodiesWithProtocol,
  endpoint: Endpoint,
  providerProtocol: BillingProtocol,
): BillableOptions {
  if (!providerProtocol?.billableOptions) return noBillableOptions
  const isPassedThrough = protocol !== undefined && passesThrough(providerProtocol, protocol)
  return providerProtocol.billableOptions(isPassedThrough ? body : (chat as Body), endpoint)
}

/** The types of tokens with separate prices that a request can use. */
function findExtraTokenTypes(chat: ChatRequest, { model }: EndpointWithModel): RequestedTokenType[] {
  const { hasAudio, hasVideo, hasUnknownFiles, hasLongCacheLifetime } = getRequestMedia(chat)
  const canReturn = (modality: 'audio' | 'image') =>
    chat.modalities ? chat.modalities.includes(modality) : model?.outputModalities.includes(modality)
  const acceptsAudio = model?.inputModalities.some((modality) => modality === 'audio' || modality === 'video')
  const types: RequestedTokenType[] = []
  if (hasLongCacheLifetime) types.push({ type: 'cacheWrite1h', requestedBy: 'cache_control.ttl' })
  if (hasAudio || hasVideo) types.push({ type: 'audioPrompt', requestedBy: hasAudio ? 'audio' : 'video' })
  else if (hasUnknownFiles && acceptsAudio) types.push({ type: 'audioPrompt', requestedBy: 'a file that may be audio' })
  if (canReturn('audio')) types.push({ type: 'audioCompletion', requestedBy: 'a response in audio' })
  if (canReturn('image')) types.push({ type: 'imageCompletion', requestedBy: 'a response with images' })
  return types
}

/** The images of the prompt and of the responses. Empty if there are none, or if images have no price. */
function countImages(
  chat: ChatRequest,
  { prices }: Endpoint,
  requestedTypes: readonly RequestedTokenType[],
): Record<string, number> {
  const canReturnImages = requestedTypes.some(({ type }) => type === 'imageCompletion')
  const responseImages = canReturnImages ? assumedResponseImages * countBilledChoices(chat) : 0
  const count = getRequestMedia(chat).imageCount + responseImages
  return prices.image === undefined || count === 0 ? {} : { image: count }
}

/** The number of responses that are billed. With `best_of` the provider bills more than it returns. */
export function countBilledChoices({ n, best_of: bestOf }: ChatRequest): number {
  return Math.max(1, n ?? 1, bestOf ?? 1)
}

/** The most calls of each tool, and of all tools together. Tools with the same `limitField` share its calls. */
function countToolCalls(tools: readonly ProviderTool[]): {
  callsByUnit: Record<string, number>
  totalCalls: number
} {
  const callsByUnit: Record<string, number> = {}
  const callsByLimit = new Map<string, number>()
  for (const [index, { unit, maxCalls = assumedCallLimit, limitField = `tool ${index}` }] of tools.entries()) {
    callsByUnit[unit] = (ownValue(callsByUnit, unit) ?? 0) + maxCalls
    callsByLimit.set(limitField, maxCalls)
  }
  return { callsByUnit, totalCalls: callsByLimit.values().reduce((sum, calls) => sum + calls, 0) }
}

/** The sums by unit. A client can name a tool like any other unit. */
function addCounts(counts: Record<string, number>, added: Record<string, number>): Record<string, number> {
  const sums = { ...counts }
  for (const unit in added) sums[unit] = (ownValue(sums, unit) ?? 0) + added[unit]!
  return sums
}

function countContextReads({ tools, rereadsContext }: BillableOptions, totalCalls: number): number {
  if (tools.length === 0) return 0
  return rereadsContext ? totalCalls + 1 : 1
}

/** The model that a tool calls, if it calls one. A model that the catalogue lacks counts as the endpoint's model. */
function findToolModel(
  { model, maxCalls = assumedCallLimit }: ProviderTool,
  endpoint: Endpoint,
): ToolModel | undefined {
  if (!model) return undefined
  const { prices, contextLength, maxCompletionTokens } = findSibling(endpoint, model.name) ?? endpoint
  const maxTokens = model.maxTokens ?? maxCompletionTokens ?? contextLength
  return { name: model.name, prices, prompt: maxCalls * contextLength, completion: maxCalls * maxTokens }
}
