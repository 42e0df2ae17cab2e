import type { KnownHost } from './hosts.ts'

/** The assumed capacity of a host without a limit, for comparing hosts. */
const defaultCapacity = 100

/** A host with its number of interns in service. */
export type LoadedHost = KnownHost & { interns: number }

/**
 * Chooses the host of a new intern: of the available hosts with all labels and free capacity, the one with the lowest use.
 * Otherwise returns the reason why there is none.
 */
export function chooseHost(hosts: LoadedHost[], labels: string[]): { host: string } | { reason: string } {
  const available = hosts.filter((host) => !host.loss)
  if (available.length === 0) return { reason: 'No host for interns is available.' }
  const matching = available.filter((host) => labels.every((label) => host.labels.includes(label)))
  if (matching.length === 0) return { reason: `No available host has all labels ${labels.join(', ')}.` }
  const free = matching.filter(({ capacity, interns }) => capacity === 0 || interns < capacity)
  if (free.length === 0)
    return { reason: `No host has capacity for another intern: ${matching.map(describeUsage).join(', ')}.` }
  const load = ({ capacity, interns }: LoadedHost) => interns / (capacity || defaultCapacity)
  free.sort((a, b) => load(a) - load(b) || (a.name < b.name ? -1 : 1))
  return { host: free[0]!.name }
}

const describeUsage = ({ name, interns, capacity }: LoadedHost) => `${name} has ${interns} of ${capacity}`
