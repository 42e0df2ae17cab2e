import type { Region } from '#platform/core/vocabulary.ts'
import { nameOf } from '#platform/net/host-name.ts'

/** The region a request came in through, by the host name it used. Hosts that nobody named are `global`. */
export function regionOf(regions: Readonly<Record<string, Region>>, host: string | undefined): Region {
  const name = nameOf(host ?? '')
  return Object.hasOwn(regions, name) ? regions[name]! : 'global'
}
