import type { ChatRequest } from '#chat/chat-request.ts'
import { chooseEffort, computeThinkingBudget, readThinkingSetting } from '../../protocol/reasoning-budget.ts'

/** Up to version 2.5 reasoning has a token budget, from 3 it has levels. */
const usesBudget = /gemini-[12](?:\D|$)/
/** Pro models cannot disable reasoning. */
const proModel = /-pro/
/** The first pro model with levels, which has no level between low and high. */
const firstProModel = /gemini-3-pro/

/** A thinking budget is a share of this if the request sets no answer limit. */
const defaultAnswerTokens = 32_768

/** Whether tool calls must be sent back with their signatures. */
export function needsSignatures(model: string): boolean {
  return !usesBudget.test(model)
}

/** The reasoning configuration. Undefined without reasoning options: then the model uses its default and hides it. */
export function encodeThinkingConfig(
  chat: ChatRequest,
  model: string,
  maxTokens: number | undefined,
): object | undefined {
  const setting = readThinkingSetting(chat)
  if (!setting) return undefined
  const includeThoughts = chat.reasoning?.exclude !== true
  if (!usesBudget.test(model)) {
    const thinkingLevel = chooseLevel(setting.enabled ? chooseEffort(setting) : 'minimal', model)
    return setting.enabled ? { includeThoughts, thinkingLevel } : { thinkingLevel }
  }
  if (!setting.enabled) return { thinkingBudget: proModel.test(model) ? minProBudget : 0 }
  const isRequested = setting.budgetTokens !== undefined || setting.effort !== undefined
  // -1 lets the model decide.
  const thinkingBudget = isRequested
    ? clamp(computeThinkingBudget(setting, maxTokens ?? defaultAnswerTokens), minBudgetFor(model), maxBudgetFor(model))
    : -1
  return { includeThoughts, thinkingBudget }
}

const minProBudget = 128

/** The smallest budget of a model that reasons. */
function minBudgetFor(model: string): number {
  if (proModel.test(model)) return minProBudget
  return /flash-lite/.test(model) ? 512 : 1
}

const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most)

function maxBudgetFor(model: string): number {
  return proModel.test(model) ? 32_768 : 24_576
}

function chooseLevel(effort: string, model: string): string {
  if (effort === 'minimal') return proModel.test(model) ? 'LOW' : 'MINIMAL'
  if (effort === 'low') return 'LOW'
  if (effort === 'medium') return firstProModel.test(model) ? 'HIGH' : 'MEDIUM'
  return 'HIGH'
}
