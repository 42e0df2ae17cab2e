import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** A control group (cgroup v2): its path in the hierarchy as this process sees it, and the folder where it is found. */
type ControlGroupsPlace = { path: string; folder: string }

const limiting = ['pids', 'memory']
/** The group for the server itself: a group whose members are limited one by one cannot have processes of its own. */
const servers = 'service'

/**
 * Makes room for a control group for each intern.
 * @param outlives whether interns go on when the server has ended: systemd starts no unit in whose group something runs.
 * @param warn is told why not, where the service was given a group to divide.
 * @returns the folder to make them in; undefined where the service was given none.
 */
export async function roomForGroups(outlives: boolean, warn: (message: string) => void): Promise<string | undefined> {
  const top = topOf(read('/proc/self/cgroup'), read('/proc/self/mountinfo'))
  if (top === undefined) return undefined
  const isNobodyElses = top.path === '/'
  if (!isNobodyElses && (outlives || !(await isDelegated(top.path)))) return undefined
  try {
    limitMembers(top.folder)
    return top.folder
  } catch (error) {
    // The root of a container is rarely meant to be divided, and then cannot be written.
    if (!isNobodyElses) warn(`Interns have no control groups of their own: ${(error as Error).message}`)
    return undefined
  }
}

/**
 * The group that is ours to divide, if anything is: the unit of systemd that we run in, or the root that a container sees.
 * @param cgroup what `/proc/self/cgroup` says. @param mountinfo what `/proc/self/mountinfo` says.
 */
export function topOf(cgroup: string, mountinfo: string): ControlGroupsPlace | undefined {
  const own = /^0::(\/.*)$/m.exec(cgroup)?.[1]
  const path = /^.*\.(?:service|scope)(?=\/|$)/.exec(own ?? '')?.[0] ?? (own === `/${servers}` ? '/' : own)
  for (const line of mountinfo.split('\n')) {
    const [, , , root = '', point = '', ...more] = line.split(' ')
    if (!path || more[more.indexOf('-') + 1] !== 'cgroup2') continue
    const above = root === '/' ? '' : root
    if (path === above || path.startsWith(`${above}/`)) return { path, folder: join(point, path.slice(above.length)) }
  }
  return undefined
}

/** Without delegation, groups in a unit of systemd belong to systemd alone, even if we could write them. */
function isDelegated(path: string): Promise<boolean> {
  const manager = /\/user@\d+\.service\//.test(path) ? ['--user'] : []
  const asked = [...manager, 'show', '--property=Delegate', '--value', '--', basename(path)]
  return new Promise((resolve) => {
    execFile('systemctl', asked, { timeout: 10_000 }, (error, said) => resolve(!error && said.trim() === 'yes'))
  })
}

/** @throws Error when the group cannot be written, or has processes that are not ours to move. */
function limitMembers(folder: string): void {
  const present = wordsOf(join(folder, 'cgroup.controllers'))
  const wanted = limiting.filter((name) => present.includes(name)).map((name) => `+${name}`)
  const limit = () => writeFileSync(join(folder, 'cgroup.subtree_control'), wanted.join(' '))
  try {
    limit()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error
    // Processes that are here came with us: a container's first process, or a unit's.
    mkdirSync(join(folder, servers), { recursive: true })
    for (const pid of wordsOf(join(folder, 'cgroup.procs'))) moveTo(join(folder, servers), pid)
    limit()
  }
}

function moveTo(group: string, pid: string): void {
  try {
    writeFileSync(join(group, 'cgroup.procs'), pid)
  } catch (error) {
    // It has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const wordsOf = (file: string) => read(file).split(/\s+/).filter(Boolean)

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
