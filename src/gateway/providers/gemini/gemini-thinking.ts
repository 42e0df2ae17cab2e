import type { ChatRequest } from '#chat/chat-request.ts'
import { effortOf, thinkingBudgetOf, thinkingSetting } from '../../protocol/reasoning-budget.ts'

/** Up to version 2.5 reasoning has a token budget, from 3 it has levels. */
const byBudget = /gemini-[12](?:\D|$)/
/** The first model with levels has fewer of them than later ones. */
const pro = /-pro/
const firstPro = /gemini-3-pro/

/** A thinking budget is a share of this if the request sets no answer limit. */
const budgetedAnswer = 32_768

/** Whether tool calls must be sent back with their signatures. */
export function needsSignatures(model: string): boolean {
  return !byBudget.test(model)
}

/** The reasoning configuration. Undefined without reasoning options: then the model uses its default and hides it. */
export function thinkingConfigOf(chat: ChatRequest, model: string, maxTokens: number | undefined): object | undefined {
  const setting = thinkingSetting(chat)
  if (!setting) return undefined
  const includeThoughts = chat.reasoning?.exclude !== true
  if (!byBudget.test(model)) {
    const thinkingLevel = levelFor(setting.enabled ? effortOf(setting) : 'minimal', model)
    return setting.enabled ? { includeThoughts, thinkingLevel } : { thinkingLevel }
  }
  if (!setting.enabled) return { thinkingBudget: minBudgetOf(model) }
  const isRequested = setting.budgetTokens !== undefined || setting.effort !== undefined
  // -1 lets the model decide.
  const thinkingBudget = isRequested
    ? Math.min(thinkingBudgetOf(setting, maxTokens ?? budgetedAnswer), maxBudgetOf(model))
    : -1
  return { includeThoughts, thinkingBudget }
}

/** Pro models cannot disable reasoning. */
function minBudgetOf(model: string): number {
  return pro.test(model) ? 128 : 0
}

function maxBudgetOf(model: string): number {
  return pro.test(model) ? 32_768 : 24_576
}

function levelFor(effort: string, model: string): string {
  if (effort === 'minimal') return pro.test(model) ? 'LOW' : 'MINIMAL'
  if (effort === 'low') return 'LOW'
  if (effort === 'medium') return firstPro.test(model) ? 'HIGH' : 'MEDIUM'
  return 'HIGH'
}
