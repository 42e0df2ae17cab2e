import type { Now } from '#platform/core/clock.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { chooseHost, type LoadedHost } from '../hosts/choose-host.ts'
import type { InternHosts } from '../hosts/hosts.ts'
import { internChangedEvent } from '../registry/intern-events.ts'
import { findInternById } from '../registry/intern-store.ts'
import { countInServiceByHost } from '../registry/interns-by-host.ts'

type PlaceDeps = { db: Db; now: Now; hosts: Pick<InternHosts, 'list'> }

/**
 * Chooses a host for an intern before its first start, serialized over all servers. If there is none, the intern stays queued,
 * and its `last_failure_message` has the reason.
 */
export async function placeIntern(deps: PlaceDeps, id: string): Promise<void> {
  const { db, now, hosts } = deps
  await db.exclusively('intern placement', async (tx, publish) => {
    const intern = await findInternById(tx, id)
    if (intern?.status !== 'queued' || intern.hostname !== null) return
    const choice = chooseHost(await loadHosts(tx, hosts), intern.hostLabels)
    if ('reason' in choice && choice.reason === intern.lastFailureMessage) return
    const columns =
      'host' in choice ? { hostname: choice.host, last_failure_message: null } : { last_failure_message: choice.reason }
    await tx.updateTable('interns').set(columns).where('id', '=', id).execute()
    // Wakes the server of the host. Clients are notified when the intern is started, or why it is not.
    if ('host' in choice) publish('intern.changed', id)
    else publish('intern.changed', id, internChangedEvent({ ...intern, lastFailureMessage: choice.reason }, now()))
  })
}

async function loadHosts(tx: Tx, hosts: PlaceDeps['hosts']): Promise<LoadedHost[]> {
  const loads = await countInServiceByHost(tx)
  return (await hosts.list(tx)).map((host) => ({ ...host, interns: loads.get(host.name) ?? 0 }))
}
