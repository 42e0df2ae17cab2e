import type { Endpoint, Model } from '#catalogue/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import type { Protocol } from '#lib/vocabulary.ts'
import { mediaIn } from './media.ts'
import { noOrders, type Orders, type RunTool } from './orders.ts'
import { type AskedKind, type SpecialKind, type Unpriced, unpricedKinds, unpricedOrders } from './unpriced.ts'
import { type Body, passes, type Wire } from './wire.ts'

/** A request as it is sent on: in the client's own words to those who speak its protocol, as a chat to all others. */
export type Forms = { chat: ChatRequest; body: Body; protocol?: Protocol }

export type Offer = { endpoint: Endpoint; model?: Pick<Model, 'inputModalities' | 'outputModalities'> }
type Spoken = Partial<Pick<Wire, 'protocol' | 'passThrough' | 'orders'>> | undefined

/** What a request may have billed at one endpoint besides text, at the most. */
export type Bill = {
  pieces: Record<string, number>
  serviceTier: string | undefined
  kinds: readonly SpecialKind[]
  tools: readonly RunTool[]
  /** How often all of the context may be read. Without tools, the prompt is what was sent. */
  contexts: number
  /** Images of the prompt, where each costs something. */
  promptImages: number
  /** Whether there is sound in the prompt that is sure to be counted. */
  sound: boolean
  unpriced: readonly Unpriced[]
  /** Fields that must say how often a tool may run. */
  unbounded: readonly string[]
}

/** What a provider may run or make any number of times, without a field that says how often: taken to be so many. */
export const mostUnbounded = 16
/** The same of images in one answer. */
export const mostImages = 4

/** @returns undefined where nothing but text can be billed, as for most requests. */
export function billOf(forms: Forms, { endpoint, model }: Offer, wire: Spoken): Bill | undefined {
  const orders = ordersOf(forms, endpoint, wire)
  const kinds = kindsOf(forms, { endpoint, model })
  const { images, sound } = mediaIn(forms.chat)
  const pieces: Record<string, number> = {}
  const image = endpoint.prices.image
  const answered = kinds.some(({ kind }) => kind === 'imageCompletion') ? mostImages * answersOf(forms.chat) : 0
  if (image !== undefined && images + answered > 0) pieces.image = images + answered
  if (orders.tools.length === 0 && !orders.serviceTier && kinds.length === 0 && pieces.image === undefined)
    return undefined
  const calls = addCalls(pieces, orders)
  return {
    pieces,
    serviceTier: orders.serviceTier,
    kinds: kinds.map(({ kind }) => kind),
    tools: orders.tools,
    contexts: orders.tools.length === 0 ? 0 : orders.rereads ? calls + 1 : 1,
    promptImages: image === undefined ? 0 : images,
    sound,
    unpriced: [...unpricedKinds(endpoint, kinds), ...unpricedOrders(endpoint, orders)],
    unbounded: orders.tools.flatMap(({ calls, bound }) => (calls === undefined && bound ? [bound] : [])),
  }
}

function ordersOf({ chat, body, protocol }: Forms, endpoint: Endpoint, wire: Spoken): Orders {
  if (!wire?.orders) return noOrders
  const sent = protocol !== undefined && passes(wire, protocol) ? body : (chat as Body)
  return wire.orders(sent, endpoint)
}

/** Those a provider only chooses among cost as much as those it gives. */
export function answersOf({ n, best_of: candidates }: ChatRequest): number {
  return Math.max(1, n ?? 1, candidates ?? 1)
}

/** @returns how many calls there may be in all. A bound that several tools share may be spent on any of them. */
function addCalls(pieces: Record<string, number>, { tools }: Orders): number {
  const byBound = new Map<string, number>()
  for (const [at, { unit, calls = mostUnbounded, bound }] of tools.entries()) {
    pieces[unit] = (pieces[unit] ?? 0) + calls
    byBound.set(bound ?? String(at), calls)
  }
  return byBound.values().reduce((sum, calls) => sum + calls, 0)
}

function kindsOf({ chat }: Forms, { model }: Offer): AskedKind[] {
  const { sound, video, files, longCache } = mediaIn(chat)
  const makes = (modality: 'audio' | 'image') =>
    chat.modalities ? chat.modalities.includes(modality) : model?.outputModalities.includes(modality)
  const hears = model?.inputModalities.some((modality) => modality === 'audio' || modality === 'video')
  const kinds: AskedKind[] = []
  if (longCache) kinds.push({ kind: 'cacheWrite1h', asked: 'cache_control.ttl' })
  if (sound || video) kinds.push({ kind: 'audioPrompt', asked: sound ? 'audio' : 'video' })
  else if (files && hears) kinds.push({ kind: 'audioPrompt', asked: 'a file that may be audio' })
  if (makes('audio')) kinds.push({ kind: 'audioCompletion', asked: 'an answer in audio' })
  if (makes('image')) kinds.push({ kind: 'imageCompletion', asked: 'an answer with images' })
  return kinds
}
