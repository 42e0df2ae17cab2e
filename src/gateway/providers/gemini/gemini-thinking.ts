import type { ChatRequest } from '#chat/chat-request.ts'
import { chooseEffort, computeReasoningBudget, readReasoningOptions } from '../../protocol/reasoning-options.ts'

const modelsBefore3 = /gemini-[12](?:\D|$)/

/** Whether a model is of a version up to 2.5. Their reasoning has a token budget. From 3 on it has levels. */
export const isBeforeVersion3 = (model: string) => modelsBefore3.test(model)

/** Pro models cannot disable reasoning. */
const proModel = /-pro/
/** Flash models without the level `MINIMAL`. */
const laterFlashModel = /gemini-(?:3[-.][7-9](?!\d)|[4-9]).*-flash/
/** The first pro model with levels, which has no level between low and high. */
const firstProModel = /gemini-3-pro/

/** A thinking budget is a share of this if the request sets no output limit. */
const defaultOutputTokens = 32_768

/** Whether a model refuses calls in the conversation without the signatures that it gave them. */
export function needsSignatures(model: string): boolean {
  return !isBeforeVersion3(model)
}

/** The reasoning configuration. Undefined without reasoning options: then the model uses its default and hides it. */
export function encodeThinkingConfig(
  chat: ChatRequest,
  model: string,
  maxTokens: number | undefined,
): object | undefined {
  const setting = readReasoningOptions(chat)
  if (!setting) return undefined
  const includeThoughts = chat.reasoning?.exclude !== true
  if (!isBeforeVersion3(model)) {
    const thinkingLevel = chooseLevel(setting.enabled ? chooseEffort(setting) : 'minimal', model)
    return setting.enabled ? { includeThoughts, thinkingLevel } : { thinkingLevel }
  }
  if (!setting.enabled) return { thinkingBudget: proModel.test(model) ? minProBudget : 0 }
  const isRequested = setting.budgetTokens !== undefined || setting.effort !== undefined
  // -1 lets the model decide.
  const thinkingBudget = isRequested
    ? clamp(computeReasoningBudget(setting, maxTokens ?? defaultOutputTokens), minBudgetFor(model), maxBudgetFor(model))
    : -1
  return { includeThoughts, thinkingBudget }
}

/** The budgets that Google documents for pro, flash and flash-lite models. */
const minProBudget = 128
const maxProBudget = 32_768
const maxFlashBudget = 24_576
const minFlashLiteBudget = 512

/** The smallest budget with which a model reasons. 0 disables the reasoning of flash models. */
function minBudgetFor(model: string): number {
  if (proModel.test(model)) return minProBudget
  return /flash-lite/.test(model) ? minFlashLiteBudget : 1
}

const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most)

function maxBudgetFor(model: string): number {
  return proModel.test(model) ? maxProBudget : maxFlashBudget
}

/** The level for an effort. Pro models and later flash models have no `MINIMAL`. Efforts above `high` are `HIGH`, the highest level. */
function chooseLevel(effort: string, model: string): string {
  if (effort === 'minimal') return proModel.test(model) || laterFlashModel.test(model) ? 'LOW' : 'MINIMAL'
  if (effort === 'low') return 'LOW'
  if (effort === 'medium') return firstProModel.test(model) ? 'HIGH' : 'MEDIUM'
  return 'HIGH'
}
