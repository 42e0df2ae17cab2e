import { findInternById, type Intern, isEnding } from '#interns/registry/intern-store.ts'
import { waitUntil } from '#platform/async/wait-for.ts'
import { Fault } from '#platform/core/fault.ts'
import { subscribeToEntity } from '#platform/db/signals.ts'
import type { ApiDeps } from '../access/deps.ts'

/**
 * The longest wait until a server has ended the processes of an intern on its host. It usually needs less. `kubernetes_stop_ms`,
 * the time for deleting a pod, is always added: a server with pods may supervise the intern.
 */
const timeoutMs = 20_000

type StopDeps = Pick<ApiDeps, 'db' | 'internHosts'> & { config: Pick<ApiDeps['config'], 'kubernetes_stop_ms'> }

/**
 * Waits until a suspended intern has no processes. The server that supervises it, on any host, ends them and releases
 * its lease. @throws Fault `unavailable` if a process may remain.
 */
export async function waitUntilStopped(deps: StopDeps, { id, hostname }: Intern): Promise<void> {
  const { db, internHosts, config } = deps
  const hasStopped = async () => {
    if (!(await isEnding({ db }, id))) return true
    const host = await internHosts.readState(hostname)
    if (host?.state === 'gone') throw notStoppedFault(`${host.reason} It stops when its host is available again.`)
    return false
  }
  const isStopped = await waitUntil(hasStopped, {
    subscribe: subscribeToEntity(db.signals, 'intern.changed', id),
    timeoutMs: timeoutMs + config.kubernetes_stop_ms,
  })
  if (!isStopped) throw notStoppedFault(`the server of its host ${hostname} has not stopped it yet.`)
  const current = await findInternById(db.query, id)
  if (current?.status === 'failed')
    throw notStoppedFault(current.lastFailureMessage ?? 'its processes are still running.')
}

const notStoppedFault = (why: string) => new Fault('unavailable', `The intern is not stopped: ${why}`)
