import type { Caller } from '#identity/accounts/caller.ts'
import type { Query } from '#platform/db/db.ts'
import type { ListedHost } from '../registry/intern.ts'
import { countInServiceByHost, countOrganizationInternsByHost } from '../registry/interns-by-host.ts'
import { createUnknownHost, type InternHosts, type KnownHost, toInternHost } from './hosts.ts'

type ListDeps = { db: { query: Query }; internHosts: Pick<InternHosts, 'list'>; now: () => number }

/** A lost host without interns of the organization is listed for this time. */
const listedForMs = 24 * 3600_000

/** Lists the hosts of interns by name, available or lost. */
export async function listHosts(
  { db, internHosts, now }: ListDeps,
  { organizationId }: Pick<Caller, 'organizationId'>,
): Promise<ListedHost[]> {
  const [hosts, usage, interns] = await Promise.all([
    internHosts.list(),
    countInServiceByHost(db.query),
    countOrganizationInternsByHost(db.query, organizationId),
  ])
  const isListed = ({ name, loss }: KnownHost) => !loss || interns.has(name) || now() - loss.since < listedForMs
  const listedHosts = hosts
    .filter(isListed)
    .map((host) => ({ ...toInternHost(host), labels: host.labels, capacity: host.capacity || null }))
  const names = new Set(hosts.map(({ name }) => name))
  const unknownHosts = [...interns.keys()]
    .filter((name) => !names.has(name))
    .map((name) => ({ ...toInternHost(createUnknownHost(name)), labels: [], capacity: null }))
  return [...listedHosts, ...unknownHosts]
    .map((host) => ({ ...host, capacity_used: usage.get(host.name) ?? 0, interns: interns.get(host.name) ?? 0 }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}
