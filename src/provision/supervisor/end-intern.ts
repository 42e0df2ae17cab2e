import type { Intern } from '#interns/registry/intern-store.ts'
import type { InternLeases } from './intern-leases.ts'
import type { Provisioner } from './provisioner.ts'

type EndDeps = { leases: InternLeases; provisioner: Provisioner }

/** Ends the processes of an intern that was stopped. Stores a failure for its owner, who can retry. */
export async function endStoppedIntern({ leases, provisioner }: EndDeps, intern: Intern): Promise<void> {
  try {
    await provisioner.stop(intern)
    await leases.transition(intern.id, 'stopped', { status: 'stopped', release: true })
  } catch (error) {
    const failure = (error as Error).message
    await leases.transition(intern.id, 'stopped', { status: 'failed', failure, release: true })
  }
}

/** Ends the processes of an intern that fell asleep. Another server of this host can wake it. */
export async function endSleepingIntern({ leases, provisioner }: EndDeps, intern: Intern): Promise<void> {
  await provisioner.stop(intern)
  await leases.transition(intern.id, 'running', { status: 'running', release: true })
}

/** Removes an intern and its files. Stores a failure for its owner, who can retry. */
export async function destroyIntern({ leases, provisioner }: EndDeps, intern: Intern): Promise<void> {
  try {
    await provisioner.destroy(intern)
    await leases.remove(intern)
  } catch (error) {
    const failure = (error as Error).message
    await leases.transition(intern.id, 'destroying', { status: 'destroy_failed', failure, release: true })
  }
}
