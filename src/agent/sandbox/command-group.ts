import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { retry } from '#platform/async/retry.ts'
import { readOrEmpty } from '#platform/files/read-or-empty.ts'
import { findGroupFolder, readGroupPath } from '#platform/process/control-group-folder.ts'

/** A group can only be removed when its killed processes have ended, so the removal is repeated. */
const removal = { attempts: 50, pauseMs: 20 }

/** The control group of one command. */
type CommandGroup = { folder: string; end: () => void }

/**
 * Creates a control group (cgroup v2) for a command, below the group of the intern that this agent runs in. Returns
 * undefined if the intern has no group or cannot create groups below it.
 */
export function makeCommandGroup(name: string): CommandGroup | undefined {
  const internGroup = findInternGroup()
  if (internGroup === undefined) return undefined
  const folder = join(internGroup, name)
  try {
    mkdirSync(folder)
  } catch {
    return undefined
  }
  return { folder, end: () => void endGroup(folder) }
}

/** Returns the folder of the intern's control group, which the server named `intern-…`, if this process is in one. */
function findInternGroup(): string | undefined {
  const path = readGroupPath(readOrEmpty('/proc/self/cgroup'))
  if (path === undefined || !basename(path).startsWith('intern-')) return undefined
  return findGroupFolder(path, readOrEmpty('/proc/self/mountinfo'))
}

/** Kills all processes of the group in one system call (since Linux 5.14) and removes the group. */
async function endGroup(folder: string): Promise<void> {
  try {
    if (existsSync(join(folder, 'cgroup.kill'))) writeFileSync(join(folder, 'cgroup.kill'), '1')
  } catch {
    // The group was removed in the meantime.
  }
  const remove = () => existsSync(folder) && rmdirSync(folder)
  const delayOf = (failures: number) => (failures < removal.attempts ? removal.pauseMs : undefined)
  await retry(remove, delayOf, { ref: false }).catch(() => {})
}
