import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readOrEmpty } from '#platform/files/read-or-empty.ts'
import { findGroupFolder, readGroupPath } from '#platform/process/control-group-folder.ts'

/** A control group (cgroup v2): its path in the hierarchy as this process sees it, and its folder. */
type ControlGroup = { path: string; folder: string }

const controllers = ['pids', 'memory']
/** The group for the server itself: a group that limits its child groups cannot contain processes. */
const serverGroupName = 'service'

/**
 * Prepares the parent of the interns' control groups.
 * @param keepsRunning whether interns continue after the server has ended: systemd does not start a unit whose group has processes.
 * @param warn is called with the reason if the service has a group but cannot divide it.
 * @returns the parent's folder; undefined without a group that the service can divide.
 */
export async function prepareParentGroup(
  keepsRunning: boolean,
  warn: (message: string) => void,
): Promise<string | undefined> {
  const top = findServiceGroup(readOrEmpty('/proc/self/cgroup'), readOrEmpty('/proc/self/mountinfo'))
  if (top === undefined) return undefined
  const isRoot = top.path === '/'
  if (!isRoot && (keepsRunning || !(await isDelegated(top.path)))) return undefined
  try {
    enableControllers(top.folder)
    return top.folder
  } catch (error) {
    // The root of a container is usually not writable.
    if (!isRoot) warn(`Interns do not get control groups: ${(error as Error).message}`)
    return undefined
  }
}

/**
 * The group that this service can divide, if any: its unit of systemd, or the root as a container sees it.
 * @param cgroup the text of `/proc/self/cgroup`. @param mountinfo the text of `/proc/self/mountinfo`.
 */
export function findServiceGroup(cgroup: string, mountinfo: string): ControlGroup | undefined {
  const ownPath = readGroupPath(cgroup)
  const unit = /^.*\.(?:service|scope)(?=\/|$)/.exec(ownPath ?? '')?.[0]
  // An earlier server of this container can have moved the parent of this process into the group for the server.
  const path = unit ?? (ownPath === `/${serverGroupName}` ? '/' : ownPath)
  const folder = path && findGroupFolder(path, mountinfo)
  return folder ? { path, folder } : undefined
}

/**
 * Asks systemd whether it delegates the groups of a unit. Otherwise they belong to systemd, even if this process can write
 * them.
 */
function isDelegated(path: string): Promise<boolean> {
  const manager = /\/user@\d+\.service\//.test(path) ? ['--user'] : []
  const args = [...manager, 'show', '--property=Delegate', '--value', '--', basename(path)]
  return new Promise((resolve) => {
    execFile('systemctl', args, { timeout: 10_000 }, (error, output) => resolve(!error && output.trim() === 'yes'))
  })
}

/**
 * Enables the controllers for the child groups, so that each of them can have limits.
 * @throws Error if the group cannot be written, or has processes that this one cannot move.
 */
function enableControllers(folder: string): void {
  const available = readWords(join(folder, 'cgroup.controllers'))
  const enabled = controllers.filter((name) => available.includes(name)).map((name) => `+${name}`)
  const enable = () => writeFileSync(join(folder, 'cgroup.subtree_control'), enabled.join(' '))
  try {
    enable()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error
    // The group has processes of this container or unit: move them into a child group.
    mkdirSync(join(folder, serverGroupName), { recursive: true })
    for (const pid of readWords(join(folder, 'cgroup.procs'))) moveTo(join(folder, serverGroupName), pid)
    enable()
  }
}

function moveTo(group: string, pid: string): void {
  try {
    writeFileSync(join(group, 'cgroup.procs'), pid)
  } catch (error) {
    // The process has ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const readWords = (file: string) => readOrEmpty(file).split(/\s+/).filter(Boolean)
