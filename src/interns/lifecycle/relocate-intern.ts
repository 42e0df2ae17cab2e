import type { Caller } from '#identity/accounts/caller.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Tx } from '#platform/db/db.ts'
import type { Publish } from '#platform/db/signals.ts'
import { describeLoss, type InternHosts, type KnownHost } from '../hosts/hosts.ts'
import { statusesInService } from '../registry/intern.ts'
import { requireOwner } from '../registry/intern-owner.ts'
import type { Intern } from '../registry/intern-store.ts'
import { changeIntern, type InternChangeDeps, takeOutOfService } from './change-intern.ts'

export type RelocateDeps = InternChangeDeps & { internHosts: InternHosts }

/**
 * Moves an intern to another host, which has its files. An intern in service is started on the new host. @throws Fault `conflict` while
 * it can run on its host.
 */
export function moveIntern(deps: RelocateDeps, caller: Caller, id: string, to: string): Promise<Intern> {
  return changeIntern(deps, caller, id, 'intern.moved', async (tx, intern, publish) => {
    await requireOwner(tx, caller, intern)
    await moveLockedIntern(deps, tx, publish, intern, to)
    return 'changed'
  })
}

/**
 * Gives up the files of an intern on a lost host: it is stopped without a host, and starts with empty files next time.
 * @throws Fault `conflict` if the host is available.
 */
export function giveUpIntern(deps: RelocateDeps, caller: Caller, id: string): Promise<Intern> {
  return changeIntern(deps, caller, id, 'intern.given_up', async (tx, intern, publish) => {
    await requireOwner(tx, caller, intern)
    await giveUpLockedIntern(deps, tx, publish, intern)
    return 'changed'
  })
}

/** Moves an intern that the caller has locked. The caller checks the permissions. */
export async function moveLockedIntern(
  deps: RelocateDeps,
  tx: Tx,
  publish: Publish,
  intern: Intern,
  to: string,
): Promise<void> {
  const hosts = await deps.internHosts.list(tx)
  const target = hosts.find(({ name, loss }) => name === to && !loss)
  if (!target) throw unavailableHostFault(to, hosts)
  if (intern.hostname === to) throw new Fault('conflict', `The intern is already on the host ${to}.`)
  if (intern.status !== 'stopped' && !(await deps.internHosts.findLoss(intern.hostname, tx)))
    throw hostAvailableFault(intern, 'move')
  await takeOutOfService(deps, tx, publish, intern, {
    ...clearedHostColumns,
    hostname: to,
    // Without a previous host it was never started, so it has no files that the new host must have.
    moved_at: intern.hostname === null ? null : deps.now(),
    status: statusesInService.includes(intern.status) ? 'queued' : intern.status,
    last_failure_message: null,
  })
}

/** Gives up the files of an intern that the caller has locked. The caller checks the permissions. */
export async function giveUpLockedIntern(deps: RelocateDeps, tx: Tx, publish: Publish, intern: Intern): Promise<void> {
  const loss = await deps.internHosts.findLoss(intern.hostname, tx)
  if (!loss) throw hostAvailableFault(intern, 'give up')
  const status = intern.status === 'destroying' ? 'destroying' : 'stopped'
  const last_failure_message = `Its files were given up: ${describeLoss(loss)}`
  await takeOutOfService(deps, tx, publish, intern, {
    ...clearedHostColumns,
    hostname: null,
    moved_at: null,
    status,
    last_failure_message,
  })
}

/** The columns that belong to the previous host. */
const clearedHostColumns = { home: null, tcp_access: null, supervisor: null, supervised_until: 0 }

function hostAvailableFault({ hostname, status }: Intern, action: 'move' | 'give up'): Fault {
  const reason = hostname === null ? 'it has no host yet' : `its host ${hostname} is available`
  const instead = action === 'move' ? 'Suspend it first.' : 'Delete it, or suspend and move it.'
  return new Fault('conflict', `The intern is ${status}, and ${reason}. ${instead}`)
}

function unavailableHostFault(name: string, hosts: KnownHost[]): Fault {
  const names = hosts.filter(({ loss }) => !loss).map((host) => host.name)
  const available = names.length > 0 ? names.join(', ') : 'none'
  return new Fault('invalid', `Invalid request: host: ${name} is not available; available hosts: ${available}`)
}
