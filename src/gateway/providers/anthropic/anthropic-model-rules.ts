import { hashId } from '#chat/hash-id.ts'
import { chooseEffort, computeReasoningBudget, minReasoningBudget } from '../../protocol/reasoning-options.ts'
import { noteDropped, withoutSettings } from '../../protocol/repairs/dropped-fields.ts'
import type { Repair } from '../../protocol/repairs/repair.ts'
import type { Body } from '../../protocol/request-body.ts'
import {
  acceptsSampling,
  alwaysReasons,
  disabledThinkingFor,
  isBudgetModel,
  refusesBudget,
  refusesForcedCalls,
  toAcceptedEffort,
} from './anthropic-thinking.ts'

type Turn = { role?: unknown; content?: unknown } | null

/** Repairs a violation of one rule of Claude. Adds removed fields to `dropped`. */
type ClaudeRule = (body: Body, model: string, dropped: string[]) => Body

/** Applies the rules of Claude that other servers of this protocol do not have. */
export const fitToClaude: Repair = (body, dropped) => {
  const { model } = body
  if (typeof model !== 'string' || !model.includes('claude')) return body
  let current = body
  for (const rule of claudeRules) current = rule(current, model, dropped)
  return current
}

type Thinking = { type?: unknown; budget_tokens?: unknown } | null | undefined
type OutputConfig = { effort?: unknown } & Body

/** Converts a budget to an effort or the reverse, because each model accepts only one of them. */
const withAcceptedThinking: ClaudeRule = (body, model, dropped) => {
  const thinking = body.thinking as Thinking
  const config = (body.output_config ?? {}) as OutputConfig
  const budget = typeof thinking?.budget_tokens === 'number' ? thinking.budget_tokens : undefined
  if (thinking?.type === 'enabled' && refusesBudget(model)) {
    const effort = config.effort ?? chooseEffort({ enabled: true, effort: undefined, budgetTokens: budget })
    const { type: _type, budget_tokens: _budget, ...rest } = thinking as Body
    return { ...body, thinking: { ...rest, type: 'adaptive' }, output_config: { ...config, effort } }
  }
  if (!isBudgetModel(model)) return body
  const current = thinking?.type === 'adaptive' ? withBudget(body, config, dropped) : body
  return config.effort == null || budgetModelsWithEffort.test(model) ? current : withoutEffort(current, config)
}

/** Opus 4.5 accepts an effort beside a budget. The other models with budgets refuse efforts. */
const budgetModelsWithEffort = /claude-opus-4[-.]5/

/** Replaces adaptive thinking by a budget for its effort, or removes it if the output limit has no room for a budget. */
function withBudget(body: Body, { effort }: OutputConfig, dropped: string[]): Body {
  const maxTokens = Number(body.max_tokens)
  const setting = {
    enabled: true as const,
    effort: typeof effort === 'string' ? effort : undefined,
    budgetTokens: undefined,
  }
  const budget_tokens = Math.min(computeReasoningBudget(setting, maxTokens), maxTokens - 1)
  if (budget_tokens >= minReasoningBudget) return { ...body, thinking: { type: 'enabled', budget_tokens } }
  return withoutThinking(body, dropped)
}

function withoutThinking(body: Body, dropped: string[]): Body {
  noteDropped(dropped, 'thinking')
  const { thinking: _thinking, ...rest } = body
  return rest
}

/** The efforts that refuse `between_tools`. */
const highestEfforts = ['xhigh', 'max']

/** Disables reasoning as the model accepts it. Models that always reason refuse the field. */
const withDisabledThinking: ClaudeRule = (body, model, dropped) => {
  const { type } = (body.thinking ?? {}) as { type?: unknown }
  if (type !== 'disabled' && type !== 'between_tools') return body
  if (alwaysReasons(model)) return withoutThinking(body, dropped)
  const thinking = disabledThinkingFor(model) ?? { type: 'disabled' as const }
  const config = (body.output_config ?? {}) as OutputConfig
  const isTooHigh = thinking.type === 'between_tools' && highestEfforts.includes(String(config.effort))
  if (thinking.type === type && !isTooHigh) return body
  return { ...body, thinking, ...(isTooHigh && { output_config: { ...config, effort: 'high' } }) }
}

/**
 * A forced call takes precedence over reasoning, which Claude refuses beside it. Models that always reason refuse every forced
 * call, so the model chooses.
 */
const withAcceptedToolChoice: ClaudeRule = (body, model, dropped) => {
  const { name: _name, ...choice } = (body.tool_choice ?? {}) as Body
  if (choice.type !== 'any' && choice.type !== 'tool') return body
  if (refusesForcedCalls(model)) {
    noteDropped(dropped, 'tool_choice')
    return { ...body, tool_choice: { ...choice, type: 'auto' } }
  }
  const { type } = (body.thinking ?? {}) as { type?: unknown }
  const current = type === 'enabled' || type === 'adaptive' ? withoutThinking(body, dropped) : body
  const thinking = disabledThinkingFor(model)
  return thinking ? { ...current, thinking } : current
}

/** The share of the output limit that replaces a budget which is not below the limit. */
const maxBudgetShare = 0.95

/** The budget must be below the output limit. With tools it can be larger, for reasoning between calls. */
const withSmallerBudget: ClaudeRule = (body, _model, dropped) => {
  const thinking = body.thinking as Thinking
  if (thinking?.type !== 'enabled') return body
  const maxTokens = Number(body.max_tokens)
  const budget = Number(thinking.budget_tokens)
  const hasTools = Array.isArray(body.tools) && body.tools.length > 0
  if (budget >= minReasoningBudget && (budget < maxTokens || (hasTools && maxTokens > minReasoningBudget))) return body
  const smaller = Math.max(minReasoningBudget, Math.floor(maxTokens * maxBudgetShare))
  if (smaller >= maxTokens) return withoutThinking(body, dropped)
  noteDropped(dropped, 'thinking.budget_tokens')
  return { ...body, thinking: { ...thinking, budget_tokens: smaller } }
}

/** The smallest `top_p` that Claude accepts in a request with reasoning. */
const minTopP = 0.95

/** Claude refuses reasoning beside most sampling settings. */
const withCompatibleFields: ClaudeRule = (body, _model, dropped) => {
  const { type } = (body.thinking ?? {}) as { type?: unknown }
  if (type !== 'enabled' && type !== 'adaptive') return body
  const { temperature, top_p: topP, top_k: topK } = body
  const refusedNames = [
    ...(temperature != null && temperature !== 1 ? ['temperature'] : []),
    ...(topK != null ? ['top_k'] : []),
    ...(typeof topP === 'number' && topP < minTopP ? ['top_p'] : []),
  ]
  return refusedNames.length > 0 ? withoutSettings(body, refusedNames, dropped) : body
}

const withAcceptedEffort: ClaudeRule = (body, model) => {
  const { effort, ...config } = (body.output_config ?? {}) as OutputConfig
  const accepted = typeof effort === 'string' ? toAcceptedEffort(effort, model) : effort
  return accepted === effort ? body : { ...body, output_config: { ...config, effort: accepted } }
}

function withoutEffort(body: Body, { effort: _effort, ...config }: OutputConfig): Body {
  const { output_config: _config, ...rest } = body
  return Object.keys(config).length > 0 ? { ...rest, output_config: config } : rest
}

/** The most characters of a user's id. Claude also refuses email addresses and telephone numbers. */
const maxUserIdLength = 256
const personalId = /@|^\+?[\d\s()-]{7,}$/

const withAnonymousUser: ClaudeRule = (body) => {
  const { metadata } = body
  const id = (metadata as { user_id?: unknown } | null | undefined)?.user_id
  if (typeof id !== 'string' || (id.length <= maxUserIdLength && !personalId.test(id))) return body
  return { ...body, metadata: { ...(metadata as Body), user_id: hashId(id) } }
}

/** Anthropic's scale of temperatures ends at 1, and that of OpenAI at 2. */
const maxTemperature = 1

const limitTemperature: ClaudeRule = (body) => {
  const { temperature } = body
  return typeof temperature === 'number' && temperature > maxTemperature
    ? { ...body, temperature: maxTemperature }
    : body
}

/** Models that accept only one of `temperature` and `top_p`. */
const modelsWithOneSamplingField = /claude-(?:opus-4[-.][1-9]|sonnet-4[-.][5-9]|haiku-4[-.][5-9])(?!\d)/

const withAcceptedSampling: ClaudeRule = (body, model, dropped) =>
  withoutSettings(body, refusedSettings(body, model), dropped)

function refusedSettings(body: Body, model: string): string[] {
  if (!acceptsSampling(model)) return ['temperature', 'top_p', 'top_k'].filter((name) => body[name] != null)
  return modelsWithOneSamplingField.test(model) && body.temperature != null && body.top_p != null ? ['top_p'] : []
}

/** Claude refuses a conversation that starts with a response. Models without prefill also refuse one that ends with it. */
const withUserTurnsAtEnds: ClaudeRule = (body, model) => {
  const turns = body.messages
  if (!Array.isArray(turns) || turns.length === 0) return body
  const isStarted = (turns[0] as Turn)?.role !== 'assistant'
  const isPrefilled = !isBudgetModel(model) && (turns.at(-1) as Turn)?.role === 'assistant'
  if (isStarted && !isPrefilled) return body
  const before = isStarted ? [] : [{ role: 'user', content: '.' }]
  const after = isPrefilled ? [{ role: 'user', content: 'Continue your answer exactly where it ends.' }] : []
  return { ...body, messages: [...before, ...turns, ...after] }
}

/** The rules in an order in which none undoes an earlier one: the reasoning decides which settings are accepted. */
const claudeRules: readonly ClaudeRule[] = [
  withAnonymousUser,
  withAcceptedThinking,
  withAcceptedEffort,
  withDisabledThinking,
  withAcceptedToolChoice,
  withSmallerBudget,
  withCompatibleFields,
  limitTemperature,
  withAcceptedSampling,
  withUserTurnsAtEnds,
]
