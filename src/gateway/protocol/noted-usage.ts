import type { ClientProtocol, CostNote } from './protocol.ts'

/** The usage of an upstream with its cost; and with the counts that are billed, where the upstream reports them otherwise. */
export function notedUsage(
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
