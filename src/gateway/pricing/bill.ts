import type { Endpoint, Model } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import type { Protocol } from '#platform/core/vocabulary.ts'
import { mediaIn } from '../media/requested-media.ts'
import { type Body, type ProviderProtocol, passes } from '../protocol/protocol.ts'
import { type BillableOptions, noBillableOptions, type ProviderTool } from './billable-options.ts'
import { type RequestedKind, type SpecialKind, type Unpriced, unpricedKinds, unpricedOptions } from './unpriced.ts'

/** A request as it is sent on: in the client's own words to those who speak its protocol, as a chat to all others. */
export type Forms = { chat: ChatRequest; body: Body; protocol?: Protocol }

export type Offer = { endpoint: Endpoint; model?: Pick<Model, 'inputModalities' | 'outputModalities'> }
type BillingTraits = Partial<Pick<ProviderProtocol, 'protocol' | 'passThrough' | 'billableOptions'>> | undefined

/** Upper bounds of what a request can be billed for at one endpoint besides text. */
export type Bill = {
  pieces: Record<string, number>
  serviceTier: string | undefined
  kinds: readonly SpecialKind[]
  tools: readonly ProviderTool[]
  /**
   * The most times that the model may read its whole context. It is 0 without tools: then the prompt is what was sent.
   */
  contexts: number
  /** Images of the prompt, where each costs something. */
  promptImages: number
  /** Whether the prompt contains sound that is sure to be counted. */
  sound: boolean
  unpriced: readonly Unpriced[]
  /** Fields that must say how often a tool may run. */
  unbounded: readonly string[]
}

/** The assumed number of runs of a provider tool for which no field sets a limit. */
const mostUnbounded = 16
/** The same of images in one answer. */
const mostImages = 4

/** @returns undefined where nothing but text can be billed, as for most requests. */
export function billOf(forms: Forms, { endpoint, model }: Offer, providerProtocol: BillingTraits): Bill | undefined {
  const billableOptions = billableOptionsOf(forms, endpoint, providerProtocol)
  const kinds = kindsOf(forms, { endpoint, model })
  const { images, sound } = mediaIn(forms.chat)
  const pieces: Record<string, number> = {}
  const image = endpoint.prices.image
  const answered = kinds.some(({ kind }) => kind === 'imageCompletion') ? mostImages * answersOf(forms.chat) : 0
  if (image !== undefined && images + answered > 0) pieces.image = images + answered
  if (
    billableOptions.tools.length === 0 &&
    !billableOptions.serviceTier &&
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
    contexts: billableOptions.tools.length === 0 ? 0 : billableOptions.rereads ? calls + 1 : 1,
    promptImages: image === undefined ? 0 : images,
    sound,
    unpriced: [...unpricedKinds(endpoint, kinds), ...unpricedOptions(endpoint, billableOptions)],
    unbounded: billableOptions.tools.flatMap(({ calls, bound }) => (calls === undefined && bound ? [bound] : [])),
  }
}

function billableOptionsOf(
  { chat, body, protocol }: Forms,
  endpoint: Endpoint,
  providerProtocol: BillingTraits,
): BillableOptions {
  if (!providerProtocol?.billableOptions) return noBillableOptions
  const sent = protocol !== undefined && passes(providerProtocol, protocol) ? body : (chat as Body)
  return providerProtocol.billableOptions(sent, endpoint)
}

/** How many answers are billed: with `best_of` the provider makes more than it returns, and bills them all. */
export function answersOf({ n, best_of: candidates }: ChatRequest): number {
  return Math.max(1, n ?? 1, candidates ?? 1)
}

/** @returns how many calls there may be in all. A bound that several tools share may be spent on any of them. */
function addCalls(pieces: Record<string, number>, { tools }: BillableOptions): number {
  const byBound = new Map<string, number>()
  for (const [at, { unit, calls = mostUnbounded, bound }] of tools.entries()) {
    pieces[unit] = (pieces[unit] ?? 0) + calls
    byBound.set(bound ?? String(at), calls)
  }
  return byBound.values().reduce((sum, calls) => sum + calls, 0)
}

function kindsOf({ chat }: Forms, { model }: Offer): RequestedKind[] {
  const { sound, video, files, longCache } = mediaIn(chat)
  const makes = (modality: 'audio' | 'image') =>
    chat.modalities ? chat.modalities.includes(modality) : model?.outputModalities.includes(modality)
  const hears = model?.inputModalities.some((modality) => modality === 'audio' || modality === 'video')
  const kinds: RequestedKind[] = []
  if (longCache) kinds.push({ kind: 'cacheWrite1h', asked: 'cache_control.ttl' })
  if (sound || video) kinds.push({ kind: 'audioPrompt', asked: sound ? 'audio' : 'video' })
  else if (files && hears) kinds.push({ kind: 'audioPrompt', asked: 'a file that may be audio' })
  if (makes('audio')) kinds.push({ kind: 'audioCompletion', asked: 'an answer in audio' })
  if (makes('image')) kinds.push({ kind: 'imageCompletion', asked: 'an answer with images' })
  return kinds
}
