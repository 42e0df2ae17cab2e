import type { ClientProtocol, CostNote } from './protocol.ts'

/** Adds the cost to the usage of an upstream, and the billed counts if they differ from the reported ones. */
export function addCostToUsage(
  usage: object | null | undefined,
  cost: CostNote,
  usageOf: ClientProtocol['usageOf'],
): object {
  const counted = cost.restated ? withCounts(usage ?? {}, usageOf(cost.restated)) : usage
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
