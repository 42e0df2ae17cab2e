import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { isReasoningModel } from '../../protocol/reasoning-models.ts'
import {
  chooseEffort,
  computeReasoningBudget,
  minReasoningBudget,
  readReasoningOptions,
} from '../../protocol/reasoning-options.ts'
import { readCompleteReasoning } from './anthropic-turns.ts'

/** How Anthropic models are configured to reason. */
type ThinkingMode =
  /** The request sets a token budget. Sampling settings are accepted in requests without reasoning. */
  | 'budget'
  /** The request sets an effort, but not `xhigh`. Sampling settings are accepted. */
  | 'adaptive'
  /** The request sets an effort. Sampling settings are not accepted. */
  | 'adaptive-only'

/**
 * Models with a budget (up to 4.5), and with a budget or an effort (4.6). Later models have only efforts. After a version, a name ends, continues
 * with a word, or has a date of at least six digits (`claude-sonnet-4-20250514`).
 */
const thinkingModes: [RegExp, ThinkingMode][] = [
  [/claude-(?:[123]\b|instant|(?:opus|sonnet|haiku)-4(?:[-.][0-5])?(?:$|[-@:]\D|[-@:]\d{6,}))/, 'budget'],
  [/claude-(?:opus|sonnet|haiku)-4[-.]6/, 'adaptive'],
]

const findThinkingMode = (model: string): ThinkingMode =>
  thinkingModes.find(([pattern]) => pattern.test(model))?.[1] ?? 'adaptive-only'

/** Whether a Claude model reasons by a token budget. Later models also refuse a prefilled response. */
export const isBudgetModel = (model: string) => findThinkingMode(model) === 'budget'

/** Whether a Claude model reasons only by an effort. */
export const refusesBudget = (model: string) => findThinkingMode(model) === 'adaptive-only'

/** Whether a model is known to reason by an effort. It accepts calls whose reasoning is missing. */
export const acceptsLoneCalls = (model: string) => /claude-.*\d/.test(model) && refusesBudget(model)

/** Whether a Claude model accepts sampling settings. Models that reason only by an effort refuse them. */
export const acceptsSampling = (model: string) => !refusesBudget(model)

/** The setting that disables the reasoning of a model. */
type DisabledThinking =
  /** Omitted: the model reasons only on request. */
  | 'omitted'
  | 'disabled'
  /** The model still reasons between calls. It refuses `disabled` and forced calls. */
  | 'between_tools'
  /** Reasoning cannot be disabled. The model refuses `disabled` and forced calls. */
  | 'never'

/** The first row that matches applies. Claude 5 and later reason by default. */
const disabledThinkingModes: [RegExp, DisabledThinking][] = [
  [/claude-(?:[123]\b|instant|(?:opus|sonnet|haiku)-4)/, 'omitted'],
  [/claude-sonnet-5[-.][5-9](?!\d)/, 'between_tools'],
  [/claude-opus-5[-.][5-9](?!\d)|claude-(?:fable|mythos)/, 'never'],
]

const findDisabledThinking = (model: string): DisabledThinking =>
  disabledThinkingModes.find(([pattern]) => pattern.test(model))?.[1] ?? 'disabled'

/** The settings with which a Claude model does not reason. Undefined if there are none, or none are needed. */
export function disabledThinkingFor(model: string): { type: 'disabled' | 'between_tools' } | undefined {
  const type = findDisabledThinking(model)
  return type === 'disabled' || type === 'between_tools' ? { type } : undefined
}

/** Whether a Claude model always reasons, also where a request disables it. */
export const alwaysReasons = (model: string) => findDisabledThinking(model) === 'never'

/** Whether a Claude model refuses a tool choice that forces a call. */
export const refusesForcedCalls = (model: string) => ['between_tools', 'never'].includes(findDisabledThinking(model))

export type ThinkingSettings = {
  thinking?: { type: string; display?: string; budget_tokens?: number }
  effort?: string
  /** The output limit, including reasoning. */
  maxTokens: number
  /** Whether sampling settings such as `temperature` can be sent. */
  canSample: boolean
}

/** The fields of a chat request that decide how Claude reasons. Without messages, earlier calls are not checked. */
type ReasoningRequest = Pick<ChatRequest, 'messages' | 'reasoning' | 'reasoning_effort' | 'tools' | 'tool_choice'>

/** Computes the settings for a request and a model. */
export function computeThinkingSettings(
  chat: ReasoningRequest,
  endpoint: Endpoint,
  maxTokens: number,
): ThinkingSettings {
  const mode = findThinkingMode(endpoint.upstreamModel)
  const options = readReasoningOptions(chat)
  const canSample = mode !== 'adaptive-only'
  if (options?.enabled === false) {
    return { thinking: disabledThinkingFor(endpoint.upstreamModel), maxTokens, canSample }
  }
  if (!options || (forcesTool(chat) && !refusesForcedCalls(endpoint.upstreamModel))) return { maxTokens, canSample }
  if (mode !== 'budget') {
    const effort = limitEffort(chooseEffort(options), mode)
    // Later models omit their reasoning from the response without `display`.
    return { thinking: { type: 'adaptive', display: 'summarized' }, effort, maxTokens, canSample: false }
  }
  if (lacksReasoningOfCall(chat)) return { maxTokens, canSample }
  const budget = Math.max(minReasoningBudget, computeReasoningBudget(options, maxTokens))
  // The limit includes reasoning. A budget that leaves no room for the response is added to the limit.
  const room = budget < maxTokens ? maxTokens : budget + maxTokens
  const limit = endpoint.maxCompletionTokens ? Math.min(room, endpoint.maxCompletionTokens) : room
  if (limit <= minReasoningBudget) return { maxTokens, canSample }
  return {
    thinking: { type: 'enabled', budget_tokens: Math.min(budget, limit - 1) },
    maxTokens: limit,
    canSample: false,
  }
}

/** Whether the model can reason. Claude up to version 4.6 reasons only on request. */
export function canReasonWith(endpoint: Endpoint, { thinking }: ThinkingSettings): boolean {
  if (thinking) return thinking.type !== 'disabled'
  const { upstreamModel } = endpoint
  if (upstreamModel.includes('claude') && findThinkingMode(upstreamModel) !== 'adaptive-only') return false
  return isReasoningModel(endpoint)
}

/** The effort that models of a mode accept: Claude has no `minimal`, 4.6 has no `xhigh`, and 4.5 nothing above `high`. */
function limitEffort(effort: string, mode: ThinkingMode): string {
  if (effort === 'minimal') return 'low'
  if (effort === 'max' && mode === 'budget') return 'high'
  return effort === 'xhigh' && mode !== 'adaptive-only' ? 'high' : effort
}

/** The effort that a model accepts for the requested one. */
export const toAcceptedEffort = (effort: string, model: string) => limitEffort(effort, findThinkingMode(model))

/** Whether a request forces a tool call. Claude refuses a forced call while reasoning is enabled. */
function forcesTool({ tools, tool_choice: choice }: ReasoningRequest): boolean {
  return Boolean(tools?.length) && choice != null && choice !== 'auto' && choice !== 'none'
}

/** Whether a tool result follows a call without its reasoning, which many clients do not return. Claude refuses a budget then. */
function lacksReasoningOfCall({ messages }: ReasoningRequest): boolean {
  if (messages.at(-1)?.role !== 'tool') return false
  const lastAssistant = messages.findLast(({ role }) => role === 'assistant')
  return lastAssistant !== undefined && readCompleteReasoning(lastAssistant).length === 0
}
