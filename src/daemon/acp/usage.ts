import type { Usage } from '#chat/usage.ts'
import { member } from './connection.ts'

/**
 * The usage of one turn as the agent told it in its answer to the prompt, which not every agent does, in the words of
 * chat completions: what was read from a cache or thought belongs to prompt and completion, and the two add up.
 */
export function readUsage(response: unknown, costUsd: number | undefined): Usage | null {
  const usage = member(response, 'usage')
  const [input, output, thought] = ['inputTokens', 'outputTokens', 'thoughtTokens'].map((key) => count(usage, key))
  const [cached, written] = ['cachedReadTokens', 'cachedWriteTokens'].map((key) => count(usage, key))
  if (input === undefined || output === undefined) return null
  const total = Math.max(count(usage, 'totalTokens') ?? 0, input + output)
  const apart = total - input - output
  const thoughtApart =
    thought && (apart === thought || apart === thought + (cached ?? 0) + (written ?? 0)) ? thought : 0
  const completion = output + thoughtApart
  return {
    prompt_tokens: total - completion,
    completion_tokens: completion,
    total_tokens: total,
    ...(costUsd !== undefined && { cost: costUsd }),
    ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } }),
  }
}

function count(usage: unknown, key: string): number | undefined {
  const value = member(usage, key)
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** The cost of one turn, from the session's running totals. After a restart an agent may count from zero again. */
export function costOfTurn(before: number, after: number | undefined): number | undefined {
  if (after === undefined) return undefined
  return after >= before ? Number((after - before).toFixed(12)) : after
}
