import type { ChatRequest } from '#chat/chat-request.ts'
import { ownValue } from '#platform/core/own-value.ts'
import type { Body } from './request-body.ts'

/** The share of the output limit for reasoning, by effort, as OpenRouter documents it. */
const reasoningShares: Record<string, number> = {
  minimal: 0.1,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.95,
  max: 0.95,
}

/** The share for an unknown effort. */
const defaultShare = 0.5

/** The smallest budget that Anthropic accepts, in tokens. Also the minimum of computed budgets for other providers. */
export const minReasoningBudget = 1024

/** The reasoning options of a request. `effort` and `budgetTokens` are defined if the request sets them. */
type ReasoningOptions =
  | { enabled: false }
  | { enabled: true; effort: string | undefined; budgetTokens: number | undefined }

type EnabledReasoning = Extract<ReasoningOptions, { enabled: true }>

/** Reads the reasoning options of a request. Undefined if the request has none. */
export function readReasoningOptions(chat: ChatRequest): ReasoningOptions | undefined {
  const { reasoning, reasoning_effort } = chat
  if (reasoning == null && reasoning_effort == null) return readVendorReasoningOptions(chat)
  const effort = reasoning?.effort ?? reasoning_effort ?? undefined
  const requestedTokens = reasoning?.max_tokens ?? undefined
  if (reasoning?.enabled === false || effort === 'none' || requestedTokens === 0) return { enabled: false }
  if (requestedTokens === undefined && effort === undefined && reasoning?.enabled !== true) return undefined
  // -1 lets the model decide, as for Gemini.
  const budgetTokens = requestedTokens !== undefined && requestedTokens > 0 ? requestedTokens : undefined
  return { enabled: true, effort, budgetTokens }
}

/** The reasoning fields of vendors other than OpenAI in chats. */
export const vendorReasoningFields = [
  // Anthropic, DeepSeek, Moonshot
  'thinking',
  // Qwen
  'enable_thinking',
  'thinking_budget',
  // vLLM, SGLang
  'chat_template_kwargs',
] as const

/** Reads Gemini's reasoning options in `extra_body.google` of a chat, as Google's OpenAI-compatible API defines them. */
export function readGeminiThinkingConfig(chat: Body): GeminiThinkingConfig | undefined {
  const { google } = (chat.extra_body ?? {}) as { google?: { thinking_config?: GeminiThinkingConfig | null } | null }
  return google?.thinking_config ?? undefined
}

type GeminiThinkingConfig = { thinking_budget?: unknown; thinking_level?: unknown; include_thoughts?: unknown }

function fromGeminiThinkingConfig({
  thinking_budget: budget,
  thinking_level: level,
  include_thoughts,
}: GeminiThinkingConfig): ReasoningOptions | undefined {
  if (budget === 0) return { enabled: false }
  if (budget === undefined && level === undefined && include_thoughts !== true) return undefined
  const effort = typeof level === 'string' ? level.toLowerCase() : undefined
  return { enabled: true, effort, budgetTokens: typeof budget === 'number' && budget > 0 ? budget : undefined }
}

function readVendorReasoningOptions(chat: ChatRequest): ReasoningOptions | undefined {
  const geminiConfig = readGeminiThinkingConfig(chat)
  if (geminiConfig) return fromGeminiThinkingConfig(geminiConfig)
  const { thinking, enable_thinking, thinking_budget, chat_template_kwargs } = chat as ChatRequest &
    VendorReasoningFields
  const { type, budget_tokens } = (typeof thinking === 'object' ? thinking : undefined) ?? {}
  const templateFlag = chat_template_kwargs?.enable_thinking ?? chat_template_kwargs?.thinking
  // Some clients send `thinking` as a boolean.
  const isEnabled = enable_thinking ?? templateFlag ?? thinking
  if (type === 'disabled' || budget_tokens === 0 || isEnabled === false) return { enabled: false }
  if (type !== 'enabled' && type !== 'adaptive' && isEnabled !== true) return undefined
  const budget = [budget_tokens, thinking_budget].find((one) => typeof one === 'number' && one > 0)
  return { enabled: true, effort: undefined, budgetTokens: budget as number | undefined }
}

type VendorReasoningFields = {
  thinking?: { type?: unknown; budget_tokens?: unknown } | boolean | null
  enable_thinking?: unknown
  thinking_budget?: unknown
  chat_template_kwargs?: { enable_thinking?: unknown; thinking?: unknown } | null
}

/** Returns the requested budget, or else the share of the output limit (`maxTokens`) for the requested effort. */
export function computeReasoningBudget(options: EnabledReasoning, maxTokens: number): number {
  const share = ownValue(reasoningShares, options.effort ?? 'medium') ?? defaultShare
  return options.budgetTokens ?? Math.max(minReasoningBudget, Math.floor(maxTokens * share))
}

/** The largest budgets of the efforts `low` and `medium`, in tokens. Estimates, because providers document no equivalents. */
const maxLowBudget = 2048
const maxMediumBudget = 8192

/** Returns the requested effort, or else an effort for the requested budget. */
export function chooseEffort({ effort, budgetTokens }: EnabledReasoning): string {
  if (effort !== undefined) return effort
  if (budgetTokens === undefined) return 'medium'
  if (budgetTokens <= maxLowBudget) return 'low'
  return budgetTokens <= maxMediumBudget ? 'medium' : 'high'
}
