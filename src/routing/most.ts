import type { Endpoint, Prices } from '#catalogue/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import type { Extras, TokenCounts } from '#chat/events.ts'
import type { PicoUsd } from '#lib/pico-usd.ts'
import { costOf } from './cost.ts'
import { mostPromptTokens } from './most-prompt-tokens.ts'
import { thinkingWish } from './providers/reasoning-budget.ts'
import type { Body, Wire } from './wire.ts'

/** A request as it is sent on: in the client's own words to those who speak them, as a chat to all others. */
export type Asked = { chat: ChatRequest; body: Body }

/**
 * The most that a request can come to at one endpoint, in tokens. So much is set aside for it, and nothing that it is
 * charged goes beyond.
 */
export type Most = {
  prompt: number
  /** The most that a provider can have counted: of what is no text nobody else knows how much it is. */
  promptTold: number
  completion: number
  /** Whether the model may generate what its answer does not show: thoughts, above all. */
  hidden: boolean
}

type Spoken = Pick<Wire, 'answerLimit' | 'mayThink'> | undefined

export function mostOf({ chat, body }: Asked, endpoint: Endpoint, wire: Spoken): Most {
  const { tokens: prompt, exact } = mostPromptTokens(body, endpoint)
  const answer = wire?.answerLimit(chat, endpoint) ?? endpoint.maxCompletionTokens ?? endpoint.contextLength
  const answers = answersOf(chat)
  const beyondText = saysMoreThanText(chat, body)
  return {
    prompt,
    promptTold: exact && !beyondText ? prompt : endpoint.contextLength,
    completion: answer * answers + predicted(chat),
    hidden: answers > 1 || mayThink(chat, endpoint, wire) || beyondText,
  }
}

/** Those a provider only chooses among cost as much as those it gives. */
function answersOf({ n, best_of: candidates }: ChatRequest): number {
  return Math.max(1, n ?? 1, candidates ?? 1)
}

/** What was predicted wrongly is billed like an answer, beside it. */
function predicted({ prediction }: ChatRequest): number {
  return prediction == null ? 0 : Buffer.byteLength(JSON.stringify(prediction))
}

function mayThink(chat: ChatRequest, endpoint: Endpoint, wire: Spoken): boolean {
  return asksToThink(chat) || (wire?.mayThink?.(chat, endpoint) ?? thinksByCatalogue(endpoint))
}

const switches = ['thinking', 'enable_thinking', 'chat_template_kwargs', 'include_reasoning']

/** Whatever the catalogue says: many a server thinks when it is told to. */
function asksToThink(chat: ChatRequest): boolean {
  if (chat.reasoning != null || chat.reasoning_effort != null) return thinkingWish(chat)?.enabled === true
  return switches.some((name) => chat[name] != null && chat[name] !== false)
}

const thinking = ['reasoning', 'reasoning_effort', 'include_reasoning']

/** A model of which the catalogue tells nothing may do anything. */
export function thinksByCatalogue({ supportedParameters, prices }: Endpoint): boolean {
  if (supportedParameters.length === 0 || prices.reasoning !== undefined) return true
  return thinking.some((name) => supportedParameters.includes(name))
}

/** What a provider's own tools take and give, and what is no text, does not go by as text. */
function saysMoreThanText({ modalities }: ChatRequest, { tools }: Body): boolean {
  if (modalities?.some((modality) => modality !== 'text')) return true
  return Array.isArray(tools) && tools.some((tool: Body | null) => (tool?.type ?? 'function') !== 'function')
}

/** The most that so many tokens may cost, whichever of them are cached or thoughts, with what is billed besides. */
export function dearest(prices: Prices, prompt: number, completion: number, extras?: Extras): PicoUsd {
  let most = 0n
  for (const size of sizesOf(prices, prompt)) {
    const plain: TokenCounts = { prompt: size, completion, cached: 0, cacheWritten: 0, reasoning: 0 }
    const ways = [plain]
    if (has(prices, 'cacheWrite')) ways.push({ ...plain, cacheWritten: size })
    if (has(prices, 'cacheRead')) ways.push({ ...plain, cached: size })
    if (prices.reasoning !== undefined) ways.push(...ways.map((way) => ({ ...way, reasoning: completion })))
    for (const way of ways) {
      const cost = costOf(prices, way, extras)
      if (cost > most) most = cost
    }
  }
  return most
}

/** The largest prompt of each tier: a larger one need not be dearer. */
function sizesOf({ tiers }: Prices, prompt: number): number[] {
  if (!tiers?.length) return [prompt]
  const below = tiers.filter((tier) => tier.fromPromptTokens <= prompt).map((tier) => tier.fromPromptTokens - 1)
  return [prompt, ...below]
}

function has(prices: Prices, name: 'cacheRead' | 'cacheWrite'): boolean {
  return prices[name] !== undefined || prices.tiers?.some((tier) => tier[name] !== undefined) === true
}
