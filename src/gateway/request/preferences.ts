import type { ProviderPreferences } from '#chat/fields/routing-fields.ts'
import type { Preferences } from '../plan/plan.ts'

type Bound = number | { p50?: number; p75?: number; p90?: number; p99?: number } | null | undefined

/** Reads the body's `provider` and its deprecated `route`, and fills in the documented defaults. */
export function readPreferences(
  provider: ProviderPreferences | null | undefined,
  route?: 'fallback' | 'sort' | null,
): Preferences {
  const sort = typeof provider?.sort === 'string' ? { by: provider.sort } : (provider?.sort ?? undefined)
  const partition = sort && 'partition' in sort ? sort.partition : undefined
  return {
    order: nonEmpty(provider?.order),
    only: nonEmpty(provider?.only),
    ignore: nonEmpty(provider?.ignore),
    allowFallbacks: provider?.allow_fallbacks ?? true,
    requireParameters: provider?.require_parameters ?? false,
    dataCollection: provider?.data_collection ?? 'allow',
    zdr: provider?.zdr ?? false,
    quantizations: nonEmpty(provider?.quantizations),
    sort: sort?.by ?? undefined,
    partition: partition ?? (route === 'sort' ? 'none' : 'model'),
    maxPrice: provider?.max_price ? toNumbers(provider.max_price) : undefined,
    preferredMinThroughput: medianBound(provider?.preferred_min_throughput),
    // Requests have seconds, as the types of clients document.
    preferredMaxLatencyMs: toMs(medianBound(provider?.preferred_max_latency)),
  }
}

/** An empty list counts as missing: no client means to exclude every provider. */
function nonEmpty(names: string[] | null | undefined): string[] | undefined {
  return names?.length ? names : undefined
}

function toNumbers(prices: Record<string, unknown>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(prices).flatMap(([name, price]) => (price == null ? [] : [[name, Number(price)]])),
  )
}

/**
 * The bound for the median, because only medians are measured. Without one, the bound of the lowest percentile counts for
 * the median.
 */
function medianBound(bound: Bound): number | undefined {
  if (typeof bound === 'number') return bound
  return bound?.p50 ?? bound?.p75 ?? bound?.p90 ?? bound?.p99
}

const toMs = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1000)
