import type { KnownHost } from './hosts.ts'

/** A host without a capacity counts as one of so many, where hosts are compared. */
const usualCapacity = 100

/** A host with the number of interns that live there and are not stopped. */
export type LoadedHost = KnownHost & { interns: number }

/**
 * The host that a new intern is to live on: of those that are there, have what it wants and have room, the one of whose
 * capacity the smallest part is in use. Otherwise why there is none.
 */
export function chooseHost(hosts: LoadedHost[], wanted: string[]): { host: string } | { why: string } {
  const there = hosts.filter((host) => !host.gone)
  if (there.length === 0) return { why: 'No host runs interns now.' }
  const fitting = there.filter(({ labels }) => wanted.every((label) => labels.includes(label)))
  if (fitting.length === 0) return { why: `No host that is there has all of the labels ${wanted.join(', ')}.` }
  const free = fitting.filter(({ capacity, interns }) => capacity === 0 || interns < capacity)
  if (free.length === 0) return { why: `No host has room for another intern: ${fitting.map(fullness).join(', ')}.` }
  const used = ({ capacity, interns }: LoadedHost) => interns / (capacity || usualCapacity)
  free.sort((a, b) => used(a) - used(b) || (a.name < b.name ? -1 : 1))
  return { host: free[0]!.name }
}

const fullness = ({ name, interns, capacity }: LoadedHost) => `${name} has ${interns} of ${capacity}`
