import type { SkippedEndpoints } from './generation.ts'

/** Shortens endpoint ids by the model, if it is the model of the row. */
export function shortenEndpoints(skipped: SkippedEndpoints, model: string): SkippedEndpoints {
  const modelPrefix = `${model}@`
  const shorten = (id: string) => (id.startsWith(modelPrefix) ? id.slice(modelPrefix.length) : id)
  return Object.fromEntries(Object.entries(skipped).map(([reason, ids]) => [reason, ids.map(shorten)]))
}

/**
 * The reasons for a lower rank: those of the gateway (`LowerRankReason` in `plan.ts`), and `not_reached` if an earlier endpoint
 * returned the response. All other reasons are exclusions.
 */
const lowerRankReasons = ['not_reached', 'troubled', 'circuit_shut', 'slow']

/** A skipped endpoint in the form of `GET /generation`. */
type SkippedItem = { endpoint_id: string; standing: 'behind' | 'left_out'; reason: string }

/** Converts the stored form. @param model the model of the row, which shortened ids lack. */
export function skippedItems(skipped: SkippedEndpoints, model: string): SkippedItem[] {
  return Object.entries(skipped).flatMap(([reason, tags]) =>
    tags.map(
      (tag): SkippedItem => ({
        endpoint_id: tag.includes('@') ? tag : `${model}@${tag}`,
        standing: lowerRankReasons.includes(reason) ? 'behind' : 'left_out',
        reason,
      }),
    ),
  )
}

/** The reasons for an exclusion that can change between two requests. All others are missing features of the endpoint. */
const transientReasons = new Set(['guardrail', 'unconfigured', 'unavailable_now'])

/** The endpoints that could not serve a request, whatever its credentials and guardrails. */
export function incapableEndpoints(skipped: readonly SkippedItem[]): string[] {
  const incapable = skipped.filter(({ reason }) => !lowerRankReasons.includes(reason) && !transientReasons.has(reason))
  return incapable.map(({ endpoint_id }) => endpoint_id)
}
