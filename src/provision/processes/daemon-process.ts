import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { markerOf } from '#platform/process/process-marker.ts'
import { healthOf } from '../host/daemon-health.ts'
import { type DaemonRecord, endOfLog } from '../host/intern-home.ts'
import { endsWithin, isAlive, send, withDescendants } from '../host/processes.ts'
import { TransientFailure } from '../host/transient-failure.ts'
import { killAll } from './kill-all.ts'

const patience = { startMs: 20_000, healthMs: 2000, stopMs: 1200, endMs: 10_000 }

/** @throws Error when a daemon that was started ends, or does not answer in time. */
export async function untilAnswering(home: string, record: DaemonRecord): Promise<void> {
  const until = performance.now() + patience.startMs
  while (!(await answers(record))) {
    if (!isAlive(record.process)) throw new Error(`The daemon ended while it started: ${endOfLog(home)}`)
    if (performance.now() > until)
      throw new TransientFailure(`The daemon did not answer within ${patience.startMs / 1000} seconds.`)
    await sleep(10)
  }
}

export const answers = async (record: DaemonRecord, withinMs = patience.healthMs) =>
  (await healthOf(record, withinMs)) !== undefined

/**
 * The daemon ends its agent; all that is still there after a while, and what strayed from them, is made to.
 * @throws Error when something of the intern goes on all the same.
 */
export async function endDaemon(home: string, { process: daemon, uid, group }: DaemonRecord): Promise<void> {
  const own = withDescendants(daemon, undefined)
  send(daemon, 'SIGTERM')
  await endsWithin(daemon, patience.stopMs)
  await killAll({ process: daemon, uid, group, mark: markerOf(join(home, 'workspace')) }, patience.endMs)
  for (const each of own) send(each, 'SIGKILL')
}
