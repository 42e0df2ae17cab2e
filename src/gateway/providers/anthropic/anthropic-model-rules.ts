import { createHash } from 'node:crypto'
import type { Body } from '../../protocol/protocol.ts'
import { chooseEffort, computeThinkingBudget, minThinkingBudget } from '../../protocol/reasoning-budget.ts'
import type { Repair } from '../../protocol/repairs/repair.ts'
import { noteDropped } from '../../protocol/repairs/tool-repair.ts'
import { withoutSettings } from '../openai/openai-model-settings.ts'
import { acceptsSampling, isBudgetModel } from './anthropic-thinking.ts'

type Turn = { role?: unknown; content?: unknown } | null

/** The rules of Claude that other servers of this protocol do not have. */
export const fitToClaude: Repair = (body, dropped) => {
  const { model } = body
  if (typeof model !== 'string' || !model.includes('claude')) return body
  const thinking = withAcceptedThinking(withAnonymousUser(body), model, dropped)
  const compatible = withCompatibleFields(withSmallerBudget(thinking, dropped), dropped)
  return withAlternatingEnds(withAcceptedSampling(limitTemperature(compatible), model, dropped), model)
}

type Thinking = { type?: unknown; budget_tokens?: unknown } | null | undefined
type OutputConfig = { effort?: unknown } & Body

/** Models reason by a budget or by an effort, and refuse the other one. A request can be meant for another model. */
function withAcceptedThinking(body: Body, model: string, dropped: string[]): Body {
  const thinking = body.thinking as Thinking
  const config = (body.output_config ?? {}) as OutputConfig
  const budget = typeof thinking?.budget_tokens === 'number' ? thinking.budget_tokens : undefined
  if (thinking?.type === 'enabled' && !acceptsSampling(model)) {
    const effort = config.effort ?? chooseEffort({ enabled: true, effort: undefined, budgetTokens: budget })
    const { type: _type, budget_tokens: _budget, ...rest } = thinking as Body
    return { ...body, thinking: { ...rest, type: 'adaptive' }, output_config: { ...config, effort } }
  }
  if (!isBudgetModel(model)) return body
  const current = thinking?.type === 'adaptive' ? withBudget(body, config, dropped) : body
  return config.effort == null || acceptsEffort.test(model) ? current : withoutEffort(current, config)
}

/** The first model with efforts also has budgets. */
const acceptsEffort = /claude-opus-4[-.]5/

function withBudget(body: Body, { effort }: OutputConfig, dropped: string[]): Body {
  const maxTokens = Number(body.max_tokens)
  const setting = {
    enabled: true as const,
    effort: typeof effort === 'string' ? effort : undefined,
    budgetTokens: undefined,
  }
  const budget_tokens = Math.min(computeThinkingBudget(setting, maxTokens), maxTokens - 1)
  if (budget_tokens >= minThinkingBudget) return { ...body, thinking: { type: 'enabled', budget_tokens } }
  return withoutThinking(body, dropped)
}

function withoutThinking(body: Body, dropped: string[]): Body {
  noteDropped(dropped, 'thinking')
  const { thinking: _thinking, ...rest } = body
  return rest
}

/** The share of the answer that a budget gets which is too large. */
const largestShare = 0.95

/** The budget must be below the answer limit. With tools it can be larger, for reasoning between calls. */
function withSmallerBudget(body: Body, dropped: string[]): Body {
  const thinking = body.thinking as Thinking
  if (thinking?.type !== 'enabled') return body
  const maxTokens = Number(body.max_tokens)
  const budget = Number(thinking.budget_tokens)
  const hasTools = Array.isArray(body.tools) && body.tools.length > 0
  if (budget >= minThinkingBudget && (budget < maxTokens || (hasTools && maxTokens > minThinkingBudget))) return body
  const smaller = Math.max(minThinkingBudget, Math.floor(maxTokens * largestShare))
  if (smaller >= maxTokens) return withoutThinking(body, dropped)
  noteDropped(dropped, 'thinking.budget_tokens')
  return { ...body, thinking: { ...thinking, budget_tokens: smaller } }
}

/** With reasoning, Claude refuses a smaller `top_p`. */
const minTopP = 0.95

/** Reasoning excludes a forced call, which takes precedence, and most sampling settings. */
function withCompatibleFields(body: Body, dropped: string[]): Body {
  const { type } = (body.thinking ?? {}) as { type?: unknown }
  if (type !== 'enabled' && type !== 'adaptive') return body
  const choice = (body.tool_choice ?? {}) as { type?: unknown }
  if (choice.type === 'any' || choice.type === 'tool') return withoutThinking(body, dropped)
  const { temperature, top_p: topP, top_k: topK } = body
  const refusedNames = [
    ...(temperature != null && temperature !== 1 ? ['temperature'] : []),
    ...(topK != null ? ['top_k'] : []),
    ...(typeof topP === 'number' && topP < minTopP ? ['top_p'] : []),
  ]
  return refusedNames.length > 0 ? withoutSettings(body, refusedNames, dropped) : body
}

function withoutEffort(body: Body, { effort: _effort, ...config }: OutputConfig): Body {
  const { output_config: _config, ...rest } = body
  return Object.keys(config).length > 0 ? { ...rest, output_config: config } : rest
}

/** The most characters of a user's id. Claude also refuses e-mail addresses and telephone numbers. */
const maxUserId = 256
const personalId = /@|^\+?[\d\s()-]{7,}$/

function withAnonymousUser(body: Body): Body {
  const { metadata } = body
  const id = (metadata as { user_id?: unknown } | null | undefined)?.user_id
  if (typeof id !== 'string' || (id.length <= maxUserId && !personalId.test(id))) return body
  return { ...body, metadata: { ...(metadata as Body), user_id: createHash('sha256').update(id).digest('hex') } }
}

const maxTemperature = 1

function limitTemperature(body: Body): Body {
  const { temperature } = body
  return typeof temperature === 'number' && temperature > maxTemperature ? { ...body, temperature: 1 } : body
}

/** Models that accept only one of `temperature` and `top_p`. */
const acceptsOnlyOne = /claude-(?:opus-4[-.][1-9]|sonnet-4[-.][5-9]|haiku-4[-.][5-9])(?!\d)/

function withAcceptedSampling(body: Body, model: string, dropped: string[]): Body {
  return withoutSettings(body, refusedSettings(body, model), dropped)
}

function refusedSettings(body: Body, model: string): string[] {
  if (!acceptsSampling(model)) return ['temperature', 'top_p', 'top_k'].filter((name) => body[name] != null)
  return acceptsOnlyOne.test(model) && body.temperature != null && body.top_p != null ? ['top_p'] : []
}

/** A conversation starts with the user. Models without prefill also need the user at its end. */
function withAlternatingEnds(body: Body, model: string): Body {
  const turns = body.messages
  if (!Array.isArray(turns) || turns.length === 0) return body
  const isStarted = (turns[0] as Turn)?.role !== 'assistant'
  const isPrefilled = !isBudgetModel(model) && (turns.at(-1) as Turn)?.role === 'assistant'
  if (isStarted && !isPrefilled) return body
  const before = isStarted ? [] : [{ role: 'user', content: '.' }]
  const after = isPrefilled ? [{ role: 'user', content: 'Continue your answer exactly where it ends.' }] : []
  return { ...body, messages: [...before, ...turns, ...after] }
}
