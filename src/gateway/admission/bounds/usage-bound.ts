import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import {
  type BodiesWithProtocol,
  computeExtraUsageBound,
  countBilledChoices,
  type EndpointWithModel,
  type ExtraUsageBound,
} from '../../pricing/extra-usage-bound.ts'
import type { ProviderProtocol } from '../../protocol/provider-protocol.ts'
import { isReasoningModel } from '../../protocol/reasoning-models.ts'
import { readReasoningOptions } from '../../protocol/reasoning-options.ts'
import type { Body } from '../../protocol/request-body.ts'
import { promptBound } from './prompt-bound.ts'

/** The maximum tokens of a request at one endpoint. `prompt` and `completion` are reserved. */
export type UsageBound = {
  prompt: number
  /**
   * Reported prompt tokens above this number are not charged. It is higher than `prompt` if only the provider can count parts of
   * the prompt; the charge can then exceed the reservation.
   */
  reportablePrompt: number
  completion: number
  /** Whether the model may generate tokens that its response does not contain, such as reasoning. */
  hasHiddenTokens: boolean
  /** Whether the response is one sequence of generated tokens, so that its duration bounds its number of tokens. */
  isSequential: boolean
  /** Whether the provider can run tools that the request does not name. */
  hasUnrequestedTools: boolean
  /** The bound of what can be billed in addition to text; undefined if only text can be billed. */
  extraUsageBound: ExtraUsageBound | undefined
}

/** The properties of a provider protocol that bound the usage of a request; undefined for an unknown protocol. */
export type ProtocolTraits =
  | (Pick<ProviderProtocol, 'outputLimit' | 'canReason'> &
      Partial<
        Pick<ProviderProtocol, 'protocol' | 'passThrough' | 'billableOptions' | 'runsUnrequestedTools' | 'promptLimit'>
      >)
  | undefined

export function computeUsageBound(
  bodies: BodiesWithProtocol,
  offer: EndpointWithModel,
  providerProtocol: ProtocolTraits,
): UsageBound {
  const { chat, body } = bodies
  const { endpoint } = offer
  const extraUsageBound = computeExtraUsageBound(bodies, offer, providerProtocol)
  const promptLimit = providerProtocol?.promptLimit?.(chat, endpoint) ?? endpoint.contextLength
  const { tokens, isExact } = promptBound(body, endpoint, promptLimit)
  const promptReads = extraUsageBound?.modelPasses ?? 1
  // With provider tools, the results can fill the context in each read. With compaction, the model reads the prompt twice.
  const ownPrompt =
    promptReads * (extraUsageBound?.contextReads ? endpoint.contextLength * extraUsageBound.contextReads : tokens)
  const prompt = ownPrompt + sumOfModels(extraUsageBound, 'prompt')
  const outputTokens = maxOutputTokens(chat, endpoint, providerProtocol)
  const choiceCount = countBilledChoices(chat)
  const hasOtherOutput = canReturnNonText(chat, body)
  return {
    prompt,
    // With provider tools, their results are added to the prompt, so its computed number is not exact.
    reportablePrompt: isExact && !hasOtherOutput ? prompt : Math.max(prompt, promptReads * promptLimit),
    completion:
      promptReads * outputTokens * choiceCount + predictionTokens(chat) + sumOfModels(extraUsageBound, 'completion'),
    // With `best_of`, a provider generates responses that it does not return.
    hasHiddenTokens:
      choiceCount > 1 ||
      canModelReason(chat, endpoint, providerProtocol) ||
      hasOtherOutput ||
      extraUsageBound !== undefined,
    isSequential: choiceCount === 1 && !hasOtherOutput && extraUsageBound === undefined && chat.prediction == null,
    hasUnrequestedTools: providerProtocol?.runsUnrequestedTools ?? false,
    extraUsageBound,
  }
}

/** The most tokens that other models read or generate for the response. */
const sumOfModels = (extraUsage: ExtraUsageBound | undefined, side: 'prompt' | 'completion') =>
  (extraUsage?.toolModels ?? []).reduce((sum, model) => sum + model[side], 0)

/** The maximum tokens of one response. */
export function maxOutputTokens(chat: ChatRequest, endpoint: Endpoint, providerProtocol: ProtocolTraits): number {
  return providerProtocol?.outputLimit(chat, endpoint) ?? endpoint.maxCompletionTokens ?? endpoint.contextLength
}

/** Rejected tokens of a prediction are billed like completion tokens. */
function predictionTokens({ prediction }: ChatRequest): number {
  return prediction == null ? 0 : Buffer.byteLength(JSON.stringify(prediction))
}

function canModelReason(chat: ChatRequest, endpoint: Endpoint, providerProtocol: ProtocolTraits): boolean {
  return requestsReasoning(chat) || (providerProtocol?.canReason?.(chat, endpoint) ?? isReasoningModel(endpoint))
}

const reasoningSwitches = ['thinking', 'enable_thinking', 'chat_template_kwargs', 'include_reasoning']

/** Whether the request switches reasoning on, also for a model that the catalogue lists without it. */
function requestsReasoning(chat: ChatRequest): boolean {
  if (chat.reasoning != null || chat.reasoning_effort != null) return readReasoningOptions(chat)?.enabled === true
  return reasoningSwitches.some((name) => chat[name] != null && chat[name] !== false)
}

/** Whether a response may hold more than text: media, or calls of the provider's own tools. */
function canReturnNonText({ modalities }: ChatRequest, { tools }: Body): boolean {
  if (modalities?.some((modality) => modality !== 'text')) return true
  return Array.isArray(tools) && tools.some((tool: Body | null) => (tool?.type ?? 'function') !== 'function')
}
