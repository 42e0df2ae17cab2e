import type { Now } from '#platform/core/clock.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { chooseHost, type LoadedHost } from '../hosts/choose-host.ts'
import type { InternHosts } from '../hosts/hosts.ts'
import { internChanged } from '../registry/events.ts'
import { countInService } from '../registry/interns-by-host.ts'
import { internById } from '../registry/store.ts'

type PlaceDeps = { db: Db; now: Now; hosts: Pick<InternHosts, 'all'> }

/**
 * Gives an intern that is to be started for the first time a host, over all servers one at a time. Where none can take
 * it, it waits, and its `last_failure_message` says what for.
 */
export async function placeIntern(deps: PlaceDeps, id: string): Promise<void> {
  const { db, now, hosts } = deps
  await db.exclusively('intern placement', async (tx, announce) => {
    const intern = await internById(tx, id)
    if (intern?.status !== 'queued' || intern.hostname !== null) return
    const chosen = chooseHost(await loadOf(tx, hosts), intern.hostLabels)
    if ('why' in chosen && chosen.why === intern.lastFailureMessage) return
    const placed =
      'host' in chosen ? { hostname: chosen.host, last_failure_message: null } : { last_failure_message: chosen.why }
    await tx.updateTable('interns').set(placed).where('id', '=', id).execute()
    // Its host's server hears of it; people hear of it once it is started, or why it is not.
    if ('host' in chosen) announce('intern.changed', id)
    else announce('intern.changed', id, internChanged({ ...intern, lastFailureMessage: chosen.why }, now()))
  })
}

async function loadOf(tx: Tx, hosts: PlaceDeps['hosts']): Promise<LoadedHost[]> {
  const loads = await countInService(tx)
  return (await hosts.all(tx)).map((host) => ({ ...host, interns: loads.get(host.name) ?? 0 }))
}
