import { setTimeout as sleep } from 'node:timers/promises'
import { type Intern, internById, isEnding } from '#interns/registry/store.ts'
import { Fault } from '#platform/core/fault.ts'
import type { ApiDeps } from '../access/deps.ts'

const lookEveryMs = 20
/** Longer than any server takes that is there; pods have a time of their own. */
const patienceMs = 20_000

type StopDeps = Pick<ApiDeps, 'db' | 'internHosts'> & { config: Pick<ApiDeps['config'], 'kubernetes_stop_ms'> }

/**
 * Resolves when no process of an intern is left that was suspended. The server that supervises it ends it, here as
 * elsewhere, and lets go of it then. @throws Fault `unavailable` when one may be left.
 */
export async function stopIntern(deps: StopDeps, { id, hostname }: Intern): Promise<void> {
  const { db, internHosts, config } = deps
  const late = performance.now() + patienceMs + config.kubernetes_stop_ms
  while (await isEnding({ db }, id)) {
    const host = await internHosts.standing(hostname)
    if (host?.state === 'gone') throw notStopped(`${host.reason} It will be, as soon as its host is back.`)
    if (performance.now() > late) throw notStopped(`the server of its host ${hostname} has not done so yet.`)
    await sleep(lookEveryMs)
  }
  const now = await internById(db.query, id)
  if (now?.status === 'failed') throw notStopped(now.lastFailureMessage ?? 'its processes go on.')
}

const notStopped = (why: string) => new Fault('unavailable', `The intern is not stopped: ${why}`)
