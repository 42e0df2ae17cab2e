import type { Usage } from '#chat/usage.ts'
import { readProperty } from './rpc-message.ts'

/**
 * Reads the usage of one turn from the agent's response to the prompt, if it has any, in the form of chat completions:
 * cached tokens count as prompt tokens, thought tokens as completion tokens, and both sum up to the total.
 */
export function readUsage(response: unknown, costUsd: number | undefined): Usage | null {
  const usage = readProperty(response, 'usage')
  const input = readCount(usage, 'inputTokens')
  const output = readCount(usage, 'outputTokens')
  const thought = readCount(usage, 'thoughtTokens')
  const cached = readCount(usage, 'cachedReadTokens')
  const cacheWritten = readCount(usage, 'cachedWriteTokens')
  if (input === undefined || output === undefined) return null
  const total = Math.max(readCount(usage, 'totalTokens') ?? 0, input + output)
  const remaining = total - input - output
  // Some agents do not count thought tokens as output tokens, and some of them do not count cached tokens as input tokens.
  // Then the total exceeds input and output by exactly these tokens.
  const separateThought =
    thought && (remaining === thought || remaining === thought + (cached ?? 0) + (cacheWritten ?? 0)) ? thought : 0
  const completion = output + separateThought
  return {
    prompt_tokens: total - completion,
    completion_tokens: completion,
    total_tokens: total,
    cost: costUsd,
    ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } }),
  }
}

function readCount(usage: unknown, key: string): number | undefined {
  const value = readProperty(usage, key)
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/**
 * The cost of one turn in USD, rounded to pico-dollars, from the session's total costs before and after the turn. After a
 * restart an agent can count from zero.
 */
export function computeTurnCost(before: number, after: number | undefined): number | undefined {
  if (after === undefined) return undefined
  return after >= before ? Number((after - before).toFixed(12)) : after
}
