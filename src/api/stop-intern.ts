import { setTimeout as sleep } from 'node:timers/promises'
import { type Intern, internById, isSupervised } from '#interns/store.ts'
import { Fault } from '#lib/fault.ts'
import type { ApiDeps } from './deps.ts'

const lookEveryMs = 50
/** Longer than any server takes that is there. */
const patienceMs = 20_000

/** Resolves when no process of an intern is left that was suspended. @throws Fault `unavailable` when one may be. */
export async function stopIntern(
  deps: Pick<ApiDeps, 'db' | 'provisioner' | 'internHosts'>,
  intern: Intern,
): Promise<void> {
  try {
    if (intern.hostname === null || intern.hostname === deps.internHosts.here) await deps.provisioner.stop(intern)
    else await stoppedElsewhere(deps, intern)
  } catch (error) {
    throw new Fault('unavailable', `The intern is not stopped: ${(error as Error).message}`)
  }
}

/** The server of its host stops it, and lets go of it then. */
async function stoppedElsewhere(
  { db, internHosts }: Pick<ApiDeps, 'db' | 'internHosts'>,
  { id, hostname }: Intern,
): Promise<void> {
  const late = performance.now() + patienceMs
  while (await isSupervised({ db }, id)) {
    const host = await internHosts.standing(hostname)
    if (host?.state === 'gone') throw new Error(`${host.reason} It will be, as soon as its host is back.`)
    if (performance.now() > late) throw new Error(`the server of its host ${hostname} has not done so yet.`)
    await sleep(lookEveryMs)
  }
  const now = await internById(db.query, id)
  if (now?.status === 'failed') throw new Error(now.lastFailureMessage ?? 'its processes go on.')
}
