import type { Endpoint, Model, Prices } from '#catalogue/index/model.ts'
import { findSibling } from '#catalogue/index/names/sibling-endpoints.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import type { RequestFormat } from '#platform/core/vocabulary.ts'
import { mediaIn } from '../media/requested-media.ts'
import { type ProviderProtocol, passesThrough } from '../protocol/provider-protocol.ts'
import type { Body } from '../protocol/request-body.ts'
import { type BillableOptions, noBillableOptions, type ProviderTool } from './billable-options.ts'
import { type RequestedKind, type SpecialKind, type Unpriced, unpricedKinds, unpricedOptions } from './unpriced.ts'

/** Both forms of a request: the client's body, for upstreams of the same protocol, and the chat request, for all others. */
export type BothForms = { chat: ChatRequest; body: Body }

/** Both forms, with the client's protocol if it is known. */
export type RequestForms = BothForms & { protocol?: RequestFormat }

/** An endpoint that can serve a request, and its model if that is known. */
export type Offer = { endpoint: Endpoint; model?: Pick<Model, 'inputModalities' | 'outputModalities'> }
type BillingTraits = Partial<Pick<ProviderProtocol, 'protocol' | 'passThrough' | 'billableOptions'>> | undefined

/** Upper bounds of what one endpoint can bill for a request in addition to text. */
export type Bill = {
  /** Units with separate prices, such as images and calls of tools, by their name in the prices. */
  pieces: Record<string, number>
  serviceTier: string | undefined
  kinds: readonly SpecialKind[]
  tools: readonly ProviderTool[]
  /**
   * The number of full contexts that the prompt can cost, because the size of tool results is unknown. 0 without provider tools:
   * then the prompt itself is the bound.
   */
  contexts: number
  /** The number of times that the model reads the prompt and generates an answer: 2 if it may first summarize the conversation. */
  runs: 1 | 2
  /** The images of the prompt, if images have a price. */
  promptImages: number
  /** Models that tools run. */
  models: readonly BilledModel[]
  /** Whether the prompt has audio parts. Video and files, which can contain audio, do not count. */
  hasAudio: boolean
  unpriced: readonly Unpriced[]
  /** Fields that would limit the runs of a tool and are missing. */
  unbounded: readonly string[]
}

/** A model that a tool runs, by the provider's name, and the most tokens that it reads and generates. */
type BilledModel = { name: string; prices: Prices; prompt: number; completion: number }

/** The assumed number of runs of a provider tool for which no field sets a limit. */
const defaultCallLimit = 16
/** The assumed maximum of images in one answer. */
const maxImages = 4

/** The bill of a request. Undefined if only text can be billed, as for most requests. */
export function computeBill(
  forms: RequestForms,
  { endpoint, model }: Offer,
  providerProtocol: BillingTraits,
): Bill | undefined {
  const billableOptions = readBillableOptions(forms, endpoint, providerProtocol)
  const kinds = findSpecialKinds(forms, { endpoint, model })
  const { images, audio: hasAudio } = mediaIn(forms.chat)
  const pieces: Record<string, number> = {}
  const image = endpoint.prices.image
  const answerImages = kinds.some(({ kind }) => kind === 'imageCompletion') ? maxImages * billedChoices(forms.chat) : 0
  if (image !== undefined && images + answerImages > 0) pieces.image = images + answerImages
  if (
    billableOptions.tools.length === 0 &&
    !billableOptions.serviceTier &&
    !billableOptions.mayCompact &&
    kinds.length === 0 &&
    pieces.image === undefined
  )
    return undefined
  const calls = addCalls(pieces, billableOptions)
  return {
    pieces,
    serviceTier: billableOptions.serviceTier,
    kinds: kinds.map(({ kind }) => kind),
    tools: billableOptions.tools,
    contexts: countContexts(billableOptions, calls),
    runs: billableOptions.mayCompact ? 2 : 1,
    promptImages: image === undefined ? 0 : images,
    models: billedModels(endpoint, billableOptions),
    hasAudio,
    unpriced: [...unpricedKinds(endpoint, kinds), ...unpricedOptions(endpoint, billableOptions)],
    unbounded: billableOptions.tools.flatMap(({ calls, bound }) => (calls === undefined && bound ? [bound] : [])),
  }
}

/** The models that tools run. One that the catalogue does not have is taken to be like the model of the endpoint. */
function billedModels(endpoint: Endpoint, { tools }: BillableOptions): BilledModel[] {
  return tools.flatMap(({ model, calls = defaultCallLimit }): BilledModel[] => {
    if (!model) return []
    const { prices, contextLength, maxCompletionTokens } = findSibling(endpoint, model.name) ?? endpoint
    const maxTokens = model.maxTokens ?? maxCompletionTokens ?? contextLength
    return [{ name: model.name, prices, prompt: calls * contextLength, completion: calls * maxTokens }]
  })
}

function countContexts({ tools, rereadsContext }: BillableOptions, calls: number): number {
  if (tools.length === 0) return 0
  return rereadsContext ? calls + 1 : 1
}

function readBillableOptions(
  { chat, body, protocol }: RequestForms,
  endpoint: Endpoint,
  providerProtocol: BillingTraits,
): BillableOptions {
  if (!providerProtocol?.billableOptions) return noBillableOptions
  const sentForm = protocol !== undefined && passesThrough(providerProtocol, protocol) ? body : (chat as Body)
  return providerProtocol.billableOptions(sentForm, endpoint)
}

/** The number of answers that are billed. With `best_of` the provider bills more than it returns. */
export function billedChoices({ n, best_of: bestOf }: ChatRequest): number {
  return Math.max(1, n ?? 1, bestOf ?? 1)
}

/** Adds the calls of tools. Tools can share a bound. @returns the maximum number of calls. */
function addCalls(pieces: Record<string, number>, { tools }: BillableOptions): number {
  const callsByBound = new Map<string, number>()
  for (const [index, { unit, calls = defaultCallLimit, bound }] of tools.entries()) {
    pieces[unit] = (pieces[unit] ?? 0) + calls
    callsByBound.set(bound ?? String(index), calls)
  }
  return callsByBound.values().reduce((sum, calls) => sum + calls, 0)
}

function findSpecialKinds({ chat }: RequestForms, { model }: Offer): RequestedKind[] {
  const { audio: hasAudio, video, files, longCache } = mediaIn(chat)
  const canReturn = (modality: 'audio' | 'image') =>
    chat.modalities ? chat.modalities.includes(modality) : model?.outputModalities.includes(modality)
  const acceptsAudio = model?.inputModalities.some((modality) => modality === 'audio' || modality === 'video')
  const kinds: RequestedKind[] = []
  if (longCache) kinds.push({ kind: 'cacheWrite1h', requestedBy: 'cache_control.ttl' })
  if (hasAudio || video) kinds.push({ kind: 'audioPrompt', requestedBy: hasAudio ? 'audio' : 'video' })
  else if (files && acceptsAudio) kinds.push({ kind: 'audioPrompt', requestedBy: 'a file that may be audio' })
  if (canReturn('audio')) kinds.push({ kind: 'audioCompletion', requestedBy: 'an answer in audio' })
  if (canReturn('image')) kinds.push({ kind: 'imageCompletion', requestedBy: 'an answer with images' })
  return kinds
}
