import type { Caller } from '#identity/accounts/caller.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Tx } from '#platform/db/db.ts'
import type { Announce } from '#platform/db/signals.ts'
import { type InternHosts, type KnownHost, lostHostMessage, unknownHost } from '../hosts/hosts.ts'
import { inService } from '../registry/intern.ts'
import { requireOwner } from '../registry/owner.ts'
import type { Intern } from '../registry/store.ts'
import { alterIntern, type InternChangeDeps, takeOutOfService } from './change.ts'

export type RelocateDeps = InternChangeDeps & { internHosts: InternHosts }

/**
 * Says that the files of an intern are on another host now, on which it lives from now on: one that was in service is
 * started there. @throws Fault `conflict` while it may run where it is.
 */
export function moveIntern(deps: RelocateDeps, caller: Caller, id: string, to: string): Promise<Intern> {
  return alterIntern(deps, caller, id, 'intern.moved', async (tx, intern, announce) => {
    await requireOwner(tx, caller, intern)
    await move(deps, tx, announce, intern, to)
    return intern
  })
}

/**
 * Gives up the files of an intern whose host is gone: it is stopped, without a host, and begins anew where it is started
 * next. @throws Fault `conflict` where the host is there.
 */
export function giveUpIntern(deps: RelocateDeps, caller: Caller, id: string): Promise<Intern> {
  return alterIntern(deps, caller, id, 'intern.given_up', async (tx, intern, announce) => {
    await requireOwner(tx, caller, intern)
    await giveUp(deps, tx, announce, intern)
    return intern
  })
}

/** Who may is for callers to ask, as in `giveUp`. */
export async function move(deps: RelocateDeps, tx: Tx, announce: Announce, intern: Intern, to: string): Promise<void> {
  const hosts = await deps.internHosts.all(tx)
  const target = hosts.find(({ name, gone }) => name === to && !gone)
  if (!target) throw noSuchHost(to, hosts)
  if (intern.hostname === to) throw new Fault('conflict', `The intern lives on the host ${to} already.`)
  if (intern.status !== 'stopped' && !goneOf(intern, hosts, deps.internHosts.here)) throw stillThere(intern, 'move')
  await takeOutOfService(deps, tx, announce, intern, {
    ...noLonger,
    hostname: to,
    moved_at: intern.hostname === null ? null : deps.now(),
    status: inService.includes(intern.status) ? 'queued' : intern.status,
    last_failure_message: null,
  })
}

export async function giveUp(deps: RelocateDeps, tx: Tx, announce: Announce, intern: Intern): Promise<void> {
  const gone = goneOf(intern, await deps.internHosts.all(tx), deps.internHosts.here)
  if (!gone) throw stillThere(intern, 'give up')
  const status = intern.status === 'destroying' ? 'destroying' : 'stopped'
  const last_failure_message = `Its files were given up: ${lostHostMessage(gone)}`
  await takeOutOfService(deps, tx, announce, intern, {
    ...noLonger,
    ...{ hostname: null, moved_at: null, status, last_failure_message },
  })
}

/** What was true of it on the host that it leaves. */
const noLonger = { home: null, tcp_access: null, supervisor: null, supervised_until: 0 }

function goneOf({ hostname }: Intern, hosts: KnownHost[], here: string | undefined): KnownHost['gone'] {
  if (hostname === null || hostname === here) return null
  return (hosts.find(({ name }) => name === hostname) ?? unknownHost(hostname)).gone
}

function stillThere({ hostname, status }: Intern, what: 'move' | 'give up'): Fault {
  const where = hostname === null ? 'it has no host yet' : `its host ${hostname} is there`
  const instead = what === 'move' ? 'Suspend it first.' : 'Delete it, or suspend and move it.'
  return new Fault('conflict', `The intern is ${status}, and ${where}. ${instead}`)
}

function noSuchHost(name: string, hosts: KnownHost[]): Fault {
  const there = hosts.filter(({ gone }) => !gone).map((host) => host.name)
  const known = there.length > 0 ? there.join(', ') : 'none'
  return new Fault('invalid', `Invalid request: host: no host ${name} is there; those that are: ${known}`)
}
