import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { killMarked } from '#platform/process/process-marker.ts'
import { endGroup, removeGroup } from '../host/control-group.ts'
import { listProcesses } from '../host/process-table.ts'
import { isAlive, type ProcessId, send, withDescendants } from '../host/processes.ts'

/**
 * The processes of an intern: all in its control group, if it has one; all of its user, if it has its own user; else
 * the descendants of its daemon and processes with its mark.
 */
export type KillTarget = {
  process: ProcessId | undefined
  uid: number | undefined
  mark: string
  group?: string | undefined
}

const everyMs = 10
/** Looks in a row that must find nothing, where what is looked for may be born between two of them. */
const quietLooks = 3

/**
 * Ends all processes of an intern, and returns when none is left. A process that only forks and exits is never found in
 * a list of processes, so all processes of a user are ended by one signal.
 * @throws Error if processes are left in the end.
 */
export async function killAll(
  { process: daemon, uid, mark, group }: KillTarget,
  withinMs: number,
  kill: (uid: number) => Promise<boolean> = killAllOfUser,
): Promise<void> {
  const until = performance.now() + withinMs
  const others = uid === undefined ? () => killMarkedProcesses(daemon, mark) : () => killUser(uid, kill)
  const round = async () => (group === undefined ? 0 : endGroup(group)) + (await others())
  const needed = uid === undefined && group === undefined ? quietLooks : 1
  for (let quiet = 0; quiet < needed; ) {
    const left = await round()
    quiet = left === 0 ? quiet + 1 : 0
    if (left > 0 && performance.now() > until)
      throw new Error(`${left} of its processes could not be ended: end them on the host, then try again.`)
    if (quiet < needed) await sleep(everyMs)
  }
  if (group !== undefined) removeGroup(group)
}

/** @returns how many there may still be. A list may miss what is born while it is made: what counts is the stroke. */
async function killUser(uid: number, kill: (uid: number) => Promise<boolean>): Promise<number> {
  const struck = await kill(uid)
  const found = (await listProcesses()).filter(({ users }) => users.includes(uid)).length
  return struck ? found : Math.max(found, 1)
}

async function killMarkedProcesses(daemon: ProcessId | undefined, mark: string): Promise<number> {
  const tree = withDescendants(daemon, undefined)
  for (const each of tree) send(each, 'SIGKILL')
  return killMarked(mark) + tree.filter(isAlive).length
}

/**
 * The kernel goes through all processes of a user while none can fork.
 * @returns whether it did: who does it is one of them, and may be ended by another before.
 */
function killAllOfUser(uid: number): Promise<boolean> {
  // As root, or as ourselves, it would end the machine.
  if (uid <= 0 || uid === process.getuid?.()) throw new Error(`The user ${uid} is not an intern's own.`)
  return new Promise((resolve) => {
    const options = { uid, gid: uid, cwd: '/', env: {}, stdio: 'ignore' } as const
    spawn('/bin/sh', ['-c', 'kill -KILL -1'], options)
      .once('error', () => resolve(false))
      .once('exit', (code) => resolve(code !== null))
  })
}
