import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import type { Body } from './request-body.ts'

/** The share of the answer limit that each effort can use for reasoning, as OpenRouter documents it. */
const reasoningShares: Record<string, number> = {
  minimal: 0.1,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.95,
  max: 0.95,
}

/** The share for an effort that is not in the list. */
const defaultShare = 0.5

/** The smallest budget that Anthropic accepts. Budgets that are computed for other providers are not below it either. */
export const minThinkingBudget = 1024

/** The thinking options of a request. `effort` and `budgetTokens` are defined if the request has them. */
type ThinkingSetting =
  | { enabled: false }
  | { enabled: true; effort: string | undefined; budgetTokens: number | undefined }

/** Reads the reasoning options of a request; undefined if it has none. */
export function readThinkingSetting(chat: ChatRequest): ThinkingSetting | undefined {
  const { reasoning, reasoning_effort } = chat
  if (reasoning == null && reasoning_effort == null) return readForeignSetting(chat)
  const effort = reasoning?.effort ?? reasoning_effort ?? undefined
  const requestedTokens = reasoning?.max_tokens ?? undefined
  if (reasoning?.enabled === false || effort === 'none' || requestedTokens === 0) return { enabled: false }
  if (requestedTokens === undefined && effort === undefined && reasoning?.enabled !== true) return undefined
  // -1 lets the model decide, as for Gemini.
  const budgetTokens = requestedTokens !== undefined && requestedTokens > 0 ? requestedTokens : undefined
  return { enabled: true, effort, budgetTokens }
}

/** Fields for reasoning that other providers have in chats: Anthropic, DeepSeek and Moonshot, then Qwen. */
export const foreignThinkingFields = ['thinking', 'enable_thinking', 'thinking_budget', 'chat_template_kwargs'] as const

/** The options of Gemini in a chat, as Google's chat server has them in `extra_body`. */
export function readGoogleThinking(chat: Body): GoogleThinking | undefined {
  const { google } = (chat.extra_body ?? {}) as { google?: { thinking_config?: GoogleThinking | null } | null }
  return google?.thinking_config ?? undefined
}

type GoogleThinking = { thinking_budget?: unknown; thinking_level?: unknown; include_thoughts?: unknown }

function toSetting({ thinking_budget: budget, thinking_level: level, include_thoughts }: GoogleThinking) {
  if (budget === 0) return { enabled: false } as const
  if (budget === undefined && level === undefined && include_thoughts !== true) return undefined
  const effort = typeof level === 'string' ? level.toLowerCase() : undefined
  return { enabled: true, effort, budgetTokens: typeof budget === 'number' && budget > 0 ? budget : undefined } as const
}

function readForeignSetting(chat: ChatRequest): ThinkingSetting | undefined {
  const googleThinking = readGoogleThinking(chat)
  if (googleThinking) return toSetting(googleThinking)
  const { thinking, enable_thinking, thinking_budget, chat_template_kwargs } = chat as ChatRequest & ForeignThinking
  const { type, budget_tokens } = (typeof thinking === 'object' ? thinking : undefined) ?? {}
  const template = chat_template_kwargs?.enable_thinking ?? chat_template_kwargs?.thinking
  // Some clients send `thinking` as a boolean.
  const isEnabled = enable_thinking ?? template ?? thinking
  if (type === 'disabled' || budget_tokens === 0 || isEnabled === false) return { enabled: false }
  if (type !== 'enabled' && type !== 'adaptive' && isEnabled !== true) return undefined
  const budget = [budget_tokens, thinking_budget].find((one) => typeof one === 'number' && one > 0)
  return { enabled: true, effort: undefined, budgetTokens: budget as number | undefined }
}

type ForeignThinking = {
  thinking?: { type?: unknown; budget_tokens?: unknown } | boolean | null
  enable_thinking?: unknown
  thinking_budget?: unknown
  chat_template_kwargs?: { enable_thinking?: unknown; thinking?: unknown } | null
}

/** The reasoning tokens: the requested budget, or a share of the answer. */
export function computeThinkingBudget(setting: Extract<ThinkingSetting, { enabled: true }>, maxTokens: number): number {
  const share = reasoningShares[setting.effort ?? 'medium'] ?? defaultShare
  return setting.budgetTokens ?? Math.max(minThinkingBudget, Math.floor(maxTokens * share))
}

/** The largest budgets of two efforts, in tokens. Providers document no equivalents, so these are estimates. */
const maxLowBudget = 2048
const maxMediumBudget = 8192

/** The effort: the requested one, or one for the budget. */
export function chooseEffort(setting: Extract<ThinkingSetting, { enabled: true }>): string {
  if (setting.effort !== undefined) return setting.effort
  if (setting.budgetTokens === undefined) return 'medium'
  if (setting.budgetTokens <= maxLowBudget) return 'low'
  return setting.budgetTokens <= maxMediumBudget ? 'medium' : 'high'
}

/** Supported parameters, as the catalogue lists them, that only models with reasoning have. */
const thinkingParameters = ['reasoning', 'reasoning_effort', 'include_reasoning']

/** Whether the model of an endpoint can reason, by the catalogue. True if the catalogue does not list its parameters. */
export function isReasoningModel({ supportedParameters, parametersAssumed, prices }: Endpoint): boolean {
  if (parametersAssumed || supportedParameters.length === 0 || prices.reasoning !== undefined) return true
  return thinkingParameters.some((name) => supportedParameters.includes(name))
}
