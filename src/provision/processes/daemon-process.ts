import { join } from 'node:path'
import { waitFor } from '#platform/async/wait-for.ts'
import { Fault } from '#platform/core/fault.ts'
import { createMark } from '#platform/process/process-marker.ts'
import { readHealth } from '../host/daemon-health.ts'
import type { DaemonRecord } from '../host/home/daemon-record.ts'
import { readLastLogLine } from '../host/home/intern-log.ts'
import { endsWithin, findProcesses, isAlive, sendSignal } from '../host/processes.ts'
import { killAll } from './kill-all.ts'

const timeouts = {
  /** A start takes less than a second, but a daemon has low priority: on an overloaded host it takes a hundred times as long. */
  startMs: 60_000,
  healthMs: 2000,
  /** A daemon that has not ended after this time is killed with its agent. */
  stopMs: 1200,
  /** Killing is repeated for this time, because processes can start others meanwhile. */
  endMs: 10_000,
}
const pollMs = 10

/** Waits until a started daemon answers. @throws Error if it ends or does not answer in time. */
export async function waitUntilResponding(home: string, record: DaemonRecord): Promise<void> {
  const read = async () => {
    if (await isResponding(record)) return true
    if (!isAlive(record.process)) throw new Error(`The daemon ended while it started: ${await readLastLogLine(home)}`)
    return undefined
  }
  if (!(await waitFor(read, { timeoutMs: timeouts.startMs, recheckMs: pollMs })))
    throw new Fault('unavailable', `The daemon did not respond within ${timeouts.startMs / 1000} seconds.`)
}

export const isResponding = async (record: DaemonRecord, withinMs = timeouts.healthMs) =>
  (await readHealth(record, withinMs)) !== undefined

/**
 * Ends a daemon, which ends its agent; then kills the remaining processes of the intern.
 * @throws Error if processes of the intern remain.
 */
export async function endDaemon(home: string, { process: daemon, uid, group }: DaemonRecord): Promise<void> {
  // Found while the daemon runs: a process that removed the mark from its environment is later not found.
  const descendants = findProcesses(daemon, undefined)
  sendSignal(daemon, 'SIGTERM')
  await endsWithin(daemon, timeouts.stopMs)
  await killAll({ process: daemon, uid, group, mark: createMark(join(home, 'workspace')) }, timeouts.endMs)
  for (const each of descendants) sendSignal(each, 'SIGKILL')
}
