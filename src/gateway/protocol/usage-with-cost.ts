import type { ClientProtocol, CostNote } from './protocol.ts'

/** Adds the cost to the usage of an upstream, and the billed counts if they differ from the reported ones. */
export function usageWithCost(
  usage: object | null | undefined,
  cost: CostNote,
  usageOf: ClientProtocol['usageOf'],
): object {
  const counted = cost.restated ? withCounts(usage ?? {}, usageOf(cost.restated)) : usage
  return { ...counted, cost: cost.costUsd }
}

function withCounts(usage: object, counts: object): object {
  const noted: Record<string, unknown> = { ...usage }
  for (const [name, count] of Object.entries(counts)) {
    const isGroup = typeof count === 'object' && count !== null
    if (isGroup) noted[name] = { ...(noted[name] as object | null | undefined), ...count }
    else if (count !== null) noted[name] = count
  }
  return noted
}
