import type { Region } from '#platform/core/vocabulary.ts'
import { toHostName } from '#platform/net/addresses/host-name.ts'

/** The region of a request by the host name that the client used. Hosts without a configured region are `global`. */
export function regionOf(regions: Readonly<Record<string, Region>>, host: string | undefined): Region {
  // Without regions, as usual, the host needs no parsing.
  if (Object.keys(regions).length === 0) return 'global'
  const name = toHostName(host ?? '')
  return Object.hasOwn(regions, name) ? regions[name]! : 'global'
}
