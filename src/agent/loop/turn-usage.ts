import type { PromptResponse } from '@agentclientprotocol/sdk'
import type { Usage } from '../model/model.ts'

/** `usage` is not in the stable protocol yet; clients that know it read it. */
export type PromptEnd = PromptResponse & { usage?: TurnUsage }
export type TurnUsage = {
  inputTokens: number
  outputTokens: number
  totalTokens: number
  cachedReadTokens: number
  thoughtTokens: number
}

/** The sum of all calls of the model in one turn. */
export function sumUsage(usages: Usage[]): TurnUsage {
  const sum = (count: (usage: Usage) => number | undefined) =>
    usages.reduce((total, usage) => total + (count(usage) ?? 0), 0)
  const inputTokens = sum((usage) => usage.promptTokens)
  const outputTokens = sum((usage) => usage.completionTokens)
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    cachedReadTokens: sum((usage) => usage.cachedTokens),
    thoughtTokens: sum((usage) => usage.reasoningTokens),
  }
}
