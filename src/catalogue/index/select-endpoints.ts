import type { ModelFilter } from '../list/model-query.ts'
import type { Provider } from './model.ts'
import type { Snapshot } from './snapshot.ts'

/**
 * Returns a predicate for models: whether a single endpoint meets all conditions on price, provider, region and data
 * retention. Undefined without such conditions.
 */
export function createEndpointFilter(
  snapshot: Snapshot,
  filter: ModelFilter,
): ((model: number) => boolean) | undefined {
  const isUnfiltered = !endpointConditions.some((name) => filter[name] !== undefined)
  if (isUnfiltered) return undefined
  const { starts, prompt, completion, provider, zeroDataRetention, europe } = snapshot.columns.endpoints()
  const prompts = rankBounds(snapshot, filter.min_price, filter.max_price)
  const completions = rankBounds(snapshot, filter.min_output_price, filter.max_output_price)
  const requested = filter.providers && requestedProviders(snapshot, filter.providers)
  // 0 or 1, like the columns: a condition holds if the column is at least the required value.
  const requiredZdr = Number(filter.zdr === 'true')
  const requiredEurope = Number(filter.region === 'eu')
  return (model) => {
    for (let at = starts[model]!; at < starts[model + 1]!; at++) {
      const passes =
        prompt[at]! >= prompts.from &&
        prompt[at]! < prompts.end &&
        completion[at]! >= completions.from &&
        completion[at]! < completions.end &&
        zeroDataRetention[at]! >= requiredZdr &&
        europe[at]! >= requiredEurope &&
        (!requested || requested[provider[at]!] === 1)
      if (passes) return true
    }
    return false
  }
}

const endpointConditions = [
  'min_price',
  'max_price',
  'min_output_price',
  'max_output_price',
  'providers',
  'zdr',
  'region',
] as const satisfies (keyof ModelFilter)[]

type Bound = ModelFilter['min_price']

function rankBounds({ columns }: Snapshot, min: Bound, max: Bound): { from: number; end: number } {
  const { scale } = columns.endpoints()
  return { from: min ? scale.lowestRankFrom(min) : 0, end: max ? scale.endRankAt(max) : Number.POSITIVE_INFINITY }
}

/** Returns 1 for each provider that has one of the names as slug, alias or display name, otherwise 0. */
function requestedProviders({ columns, providers }: Snapshot, names: string[]): Uint8Array {
  const requested = new Set(names.map((name) => name.toLowerCase()))
  const isRequested = ({ slug, name, aliases = [] }: Provider) =>
    [slug, name.toLowerCase(), ...aliases].some((one) => requested.has(one))
  const slugs = new Set(providers.filter(isRequested).map(({ slug }) => slug))
  return Uint8Array.from(columns.endpoints().providerSlugs, (slug) => Number(slugs.has(slug)))
}
