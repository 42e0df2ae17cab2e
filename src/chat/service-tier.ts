import type { Extras } from './events.ts'

/** The service tiers of OpenAI's responses. Others, such as `fast` of Anthropic, have no name there. */
const openaiTiers: ReadonlySet<unknown> = new Set(['default', 'flex', 'priority', 'scale'])

/** The field of a translated response with the service tier that the provider reported, if it did. */
export function toServiceTierField(extras: Extras | undefined): { service_tier?: string } {
  const tier = extras?.serviceTier
  return tier !== undefined && openaiTiers.has(tier) ? { service_tier: tier } : {}
}
