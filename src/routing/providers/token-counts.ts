import type { AnswerEvent, TokenCounts } from '#chat/events.ts'

/** What a provider says it counted, in whatever it says it. What it leaves out is none. */
export type ToldCounts = { prompt: unknown; completion: unknown } & Partial<
  Record<'cached' | 'cacheWritten' | 'reasoning', unknown>
>

/** Far more than any prompt or answer holds, and little enough that costs and sums of them stay exact. */
const most = 1e9

/**
 * A provider's count, as far as it makes sense: money is charged by it. Undefined, for an estimate to take its place,
 * where prompt or completion are no such numbers or neither is told; parts are no larger than what they are parts of.
 */
function tokenCounts(told: ToldCounts): TokenCounts | undefined {
  if (told.prompt == null && told.completion == null) return undefined
  const prompt = countIn(told.prompt ?? 0)
  const completion = countIn(told.completion ?? 0)
  if (prompt === undefined || completion === undefined) return undefined
  const cached = Math.min(countIn(told.cached) ?? 0, prompt)
  return {
    prompt,
    completion,
    cached,
    cacheWritten: Math.min(countIn(told.cacheWritten) ?? 0, prompt - cached),
    reasoning: Math.min(countIn(told.reasoning) ?? 0, completion),
  }
}

/** The same as what an answer tells: nothing where the count makes no sense. */
export function usageEvents(told: ToldCounts): AnswerEvent[] {
  const tokens = tokenCounts(told)
  return tokens ? [{ type: 'usage', tokens }] : []
}

function countIn(told: unknown): number | undefined {
  return Number.isInteger(told) && (told as number) >= 0 && (told as number) <= most ? (told as number) : undefined
}

/** Of counts that are told apart, and nothing sensible when one of them is not. */
export function sumOf(...told: unknown[]): unknown {
  if (told.every((count) => count == null)) return undefined
  return told.reduce<number>((sum, count) => sum + (countIn(count ?? 0) ?? Number.NaN), 0)
}
