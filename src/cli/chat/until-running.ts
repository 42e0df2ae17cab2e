import { setTimeout as sleep } from 'node:timers/promises'
import type { InternRecord, InternStatus } from '#interns/registry/intern.ts'
import { StartupError } from '#platform/core/fault.ts'
import type { ApiClient } from '../kit/api-client.ts'
import { internPath } from '../kit/intern-path.ts'

/** As long as a pod may take for its image, or a repository for its clone. */
const patience = { tries: 1200, everyMs: 500 }

const starting: readonly InternStatus[] = ['queued', 'provisioning']

/**
 * @param tell hears what the intern waits for, or is at
 * @throws StartupError when there is no such intern, or it is not about to run.
 */
export async function untilRunning(
  client: Pick<ApiClient, 'ask'>,
  intern: string,
  tell: (text: string) => void = () => {},
): Promise<void> {
  let told: string | undefined
  for (let tries = 0; tries < patience.tries; tries++) {
    const record = await client.ask<InternRecord>('GET', internPath(intern))
    if (record.status === 'running') return
    const { status, last_failure_message: why } = record
    if (!starting.includes(status)) {
      const reason = why === null ? '' : ` (${why})`
      throw new StartupError(
        `"${intern}" is ${status}${reason}: start it with "npx signalbox interns provision ${intern}".`,
      )
    }
    const at = record.progress?.step_label ?? why ?? undefined
    if (at !== undefined && at !== told) tell(`"${intern}" is being started: ${at}`)
    told = at
    await sleep(patience.everyMs)
  }
  throw new StartupError(
    `"${intern}" is still being started${told === undefined ? '' : ` (${told})`}: try again later.`,
  )
}
