import { setTimeout as sleep } from 'node:timers/promises'
import type { InternRecord } from '#interns/intern.ts'
import { StartupError } from '#lib/fault.ts'
import type { ApiClient } from '../api-client.ts'
import { internPath } from '../intern-path.ts'

const patience = { tries: 60, everyMs: 500 }

/** @throws StartupError when there is no such intern, or it is not about to run. */
export async function untilRunning(client: Pick<ApiClient, 'ask'>, intern: string): Promise<void> {
  for (let tries = 0; tries < patience.tries; tries++) {
    const { status } = await client.ask<InternRecord>('GET', internPath(intern))
    if (status === 'running') return
    if (status !== 'provisioning') {
      throw new StartupError(`"${intern}" is ${status}: start it with "npx signalbox interns provision ${intern}".`)
    }
    await sleep(patience.everyMs)
  }
  throw new StartupError(`"${intern}" is still being started: try again later.`)
}
