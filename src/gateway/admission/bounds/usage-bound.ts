import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { answersOf, type Bill, billOf, type Forms, type Offer } from '../../pricing/bill.ts'
import type { Body, ProviderProtocol } from '../../protocol/protocol.ts'
import { thinkingSetting, thinksByCatalogue } from '../../protocol/reasoning-budget.ts'
import { promptBound } from './prompt-bound.ts'

/**
 * The most that a request can come to at one endpoint, in tokens. So much is set aside for it, and nothing that it is
 * charged goes beyond.
 */
export type UsageBound = {
  prompt: number
  /** The most that a provider can have counted: of what is no text nobody else knows how much it is. */
  promptTold: number
  completion: number
  /** Whether the model may generate tokens that its answer does not show, such as thoughts. */
  hidden: boolean
  /** The most that may be billed besides text; undefined if only text is billed. */
  bill: Bill | undefined
}

export type ProtocolTraits =
  | (Pick<ProviderProtocol, 'answerLimit' | 'mayThink'> &
      Partial<Pick<ProviderProtocol, 'protocol' | 'passThrough' | 'billableOptions'>>)
  | undefined

export function usageBoundOf(forms: Forms, offer: Offer, providerProtocol: ProtocolTraits): UsageBound {
  const { chat, body } = forms
  const { endpoint } = offer
  const bill = billOf(forms, offer, providerProtocol)
  const { tokens, exact } = promptBound(body, endpoint)
  // The model reads the results of a tool, whose size is not known beforehand.
  const prompt = bill?.contexts ? endpoint.contextLength * bill.contexts : tokens
  const answer = mostOfOneAnswer(chat, endpoint, providerProtocol)
  const answers = answersOf(chat)
  const beyondText = saysMoreThanText(chat, body)
  return {
    prompt,
    promptTold: exact && !beyondText ? prompt : Math.max(prompt, endpoint.contextLength),
    completion: answer * answers + predicted(chat),
    hidden: answers > 1 || mayThink(chat, endpoint, providerProtocol) || beyondText || bill !== undefined,
    bill,
  }
}

/** The most tokens that one answer has. */
export function mostOfOneAnswer(chat: ChatRequest, endpoint: Endpoint, providerProtocol: ProtocolTraits): number {
  return providerProtocol?.answerLimit(chat, endpoint) ?? endpoint.maxCompletionTokens ?? endpoint.contextLength
}

/** Rejected tokens of a prediction are billed like completion tokens. */
function predicted({ prediction }: ChatRequest): number {
  return prediction == null ? 0 : Buffer.byteLength(JSON.stringify(prediction))
}

function mayThink(chat: ChatRequest, endpoint: Endpoint, providerProtocol: ProtocolTraits): boolean {
  return asksToThink(chat) || (providerProtocol?.mayThink?.(chat, endpoint) ?? thinksByCatalogue(endpoint))
}

const switches = ['thinking', 'enable_thinking', 'chat_template_kwargs', 'include_reasoning']

/** A request can switch thinking on, even where the catalogue does not list it. */
function asksToThink(chat: ChatRequest): boolean {
  if (chat.reasoning != null || chat.reasoning_effort != null) return thinkingSetting(chat)?.enabled === true
  return switches.some((name) => chat[name] != null && chat[name] !== false)
}

/** Whether an answer may hold more than text: media, or calls of the provider's own tools. */
function saysMoreThanText({ modalities }: ChatRequest, { tools }: Body): boolean {
  if (modalities?.some((modality) => modality !== 'text')) return true
  return Array.isArray(tools) && tools.some((tool: Body | null) => (tool?.type ?? 'function') !== 'function')
}
