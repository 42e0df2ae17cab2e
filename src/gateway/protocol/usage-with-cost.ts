import type { CompletionEvent, TokenCounts, UsageEvent } from '#chat/events.ts'
import type { ClientProtocol, CostNote } from './client-protocol.ts'

/** Calculates the cost of counted tokens. */
export type PriceTokens = (tokens: TokenCounts) => CostNote

/** Adds the cost to the usage of an upstream. Replaces the token counts if the provider billed other counts. */
export function addCostToUsage(
  usage: object | null | undefined,
  cost: CostNote,
  usageOf: ClientProtocol['toUsage'],
): object {
  const counted = cost.billedTokens ? withCounts(usage ?? {}, usageOf(cost.billedTokens)) : usage
  return { ...counted, cost: cost.costUsd }
}

function withCounts(usage: object, counts: object): object {
  const merged: Record<string, unknown> = { ...usage }
  for (const [name, count] of Object.entries(counts)) {
    const isGroup = typeof count === 'object' && count !== null
    if (isGroup) merged[name] = { ...(merged[name] as object | null | undefined), ...count }
    else if (count !== null) merged[name] = count
  }
  return merged
}

export function findUsage(events: CompletionEvent[]): UsageEvent | undefined {
  return events.find((event) => event.type === 'usage')
}

/** The cost of a response, with the billed counts if they differ from those that the upstream reported. */
export function toCostNote({ tokens, restated }: UsageEvent, price: PriceTokens): CostNote {
  return restated ? { ...price(tokens), billedTokens: tokens } : price(tokens)
}
