import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { retry } from '#platform/async/retry.ts'

/** A group can only be removed when its killed processes have ended, so the removal is repeated. */
const removal = { attempts: 50, pauseMs: 20 }

/** The control group of one command. */
export type CommandGroup = { folder: string; end: () => void }

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

/** Returns the folder of the intern's control group, which the server named `intern-…`; undefined if this process is not in one. */
function findInternGroup(): string | undefined {
  const path = /^0::(\/.*)$/m.exec(readOrEmpty('/proc/self/cgroup'))?.[1]
  if (path === undefined || !basename(path).startsWith('intern-')) return undefined
  // A line of mountinfo: three numbers, the mounted root, the mount point, optional fields, `-`, and the type of file system.
  for (const line of readOrEmpty('/proc/self/mountinfo').split('\n')) {
    const [, , , root = '', point = '', ...remainingFields] = line.split(' ')
    if (remainingFields[remainingFields.indexOf('-') + 1] !== 'cgroup2') continue
    const above = root === '/' ? '' : root
    if (path.startsWith(`${above}/`)) return join(point, path.slice(above.length))
  }
  return undefined
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

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
