import { spawn } from 'node:child_process'
import { waitUntil } from '#platform/async/wait-for.ts'
import { killMarked } from '#platform/process/process-marker.ts'
import { killGroup, removeGroup } from '../host/control-group.ts'
import { listProcesses } from '../host/process-table.ts'
import { findProcesses, isAlive, type ProcessId, sendSignal } from '../host/processes.ts'

/**
 * The processes of an intern: all in its control group, if it has one; all of its user, if it has its own user; else
 * the descendants of its daemon and processes with its mark.
 */
type KillTarget = {
  process: ProcessId | undefined
  uid: number | undefined
  mark: string
  group?: string | undefined
}

const everyMs = 10
/** The number of consecutive rounds that must find no process. Processes that are killed one by one can start others in between. */
const requiredEmptyRounds = { killedAtOnce: 1, killedOneByOne: 3 }

/**
 * Ends all processes of an intern, and returns when none remains. All processes of a user get one signal, because a process
 * that forks and exits repeatedly is never still there when its listed id is signalled.
 * @throws Error if processes remain after `withinMs`.
 */
export async function killAll(
  { process: daemon, uid, mark, group }: KillTarget,
  withinMs: number,
  kill: (uid: number) => Promise<boolean> = killAllOfUser,
): Promise<void> {
  const killRemaining = uid === undefined ? () => killMarkedProcesses(daemon, mark) : () => killUser(uid, kill)
  const round = async () => (group === undefined ? 0 : killGroup(group)) + (await killRemaining())
  const { killedAtOnce, killedOneByOne } = requiredEmptyRounds
  const requiredRounds = uid === undefined && group === undefined ? killedOneByOne : killedAtOnce
  const deadline = performance.now() + withinMs
  let emptyRounds = 0
  const killAndCheck = async () => {
    const remaining = await round()
    if (remaining > 0 && performance.now() > deadline)
      throw new Error(`${remaining} of its processes could not be ended: end them on the host, then retry.`)
    emptyRounds = remaining === 0 ? emptyRounds + 1 : 0
    return emptyRounds >= requiredRounds
  }
  await waitUntil(killAndCheck, { recheckMs: everyMs })
  if (group !== undefined) removeGroup(group)
}

/** @returns the number of processes that can remain. A list can miss new processes; only `kill` reaches all. */
async function killUser(uid: number, kill: (uid: number) => Promise<boolean>): Promise<number> {
  const wasSent = await kill(uid)
  const remaining = (await listProcesses()).filter(({ users }) => users.includes(uid)).length
  return wasSent ? remaining : Math.max(remaining, 1)
}

async function killMarkedProcesses(daemon: ProcessId | undefined, mark: string): Promise<number> {
  const tree = findProcesses(daemon, undefined)
  for (const each of tree) sendSignal(each, 'SIGKILL')
  return killMarked(mark) + tree.filter(isAlive).length
}

/**
 * Signals all processes of a user in one system call, during which none can fork.
 * @returns whether the signal was sent: the sender is a process of that user, and another one can end it first.
 */
function killAllOfUser(uid: number): Promise<boolean> {
  // As root, or as the user of this process, it would end the whole system.
  if (uid <= 0 || uid === process.getuid?.()) throw new Error(`The user ${uid} is not a separate user of an intern.`)
  return new Promise((resolve) => {
    const options = { uid, gid: uid, cwd: '/', env: {}, stdio: 'ignore' } as const
    spawn('/bin/sh', ['-c', 'kill -KILL -1'], options)
      .once('error', () => resolve(false))
      .once('exit', (code) => resolve(code !== null))
  })
}
