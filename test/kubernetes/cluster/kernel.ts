import { execFileSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { until } from '#test/harness/until.ts'

/** The kernel settings that the kubelet and the pod network change for the whole machine. */
const changed = ['vm/overcommit_memory', 'kernel/panic', 'kernel/panic_on_oops', 'net/ipv4/ip_forward']

/** The kernel's settings as they are now, by file. */
export function kernelSettings(): [file: string, value: string][] {
  return changed.map((name) => join('/proc/sys', name)).map((file) => [file, readFileSync(file, 'utf8')])
}

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' })

/** A bridge with nothing on it: an address that is not loopback. @param address with the length of its prefix. */
export function addBridge(name: string, address: string): void {
  ip('link', 'add', name, 'type', 'bridge')
  ip('address', 'add', address, 'dev', name)
  setLink(name, 'up')
}

export const setLink = (name: string, state: 'up' | 'down') => ip('link', 'set', name, state)

export function removeLink(name: string): void {
  if (existsSync(join('/sys/class/net', name))) ip('link', 'delete', name)
}

/** The control group of this name in each hierarchy: those of version 1, or the one of version 2. */
const groupsOf = (name: string): string[] => {
  if (existsSync('/sys/fs/cgroup/cgroup.controllers')) return [join('/sys/fs/cgroup', name)]
  return globSync('/sys/fs/cgroup/*/cgroup.procs').map((file) => join(file, '..', name))
}

export function addControlGroup(name: string): void {
  for (const group of groupsOf(name)) {
    mkdirSync(group)
    for (const file of ['cpuset.cpus', 'cpuset.mems']) {
      const given = join(group, '..', file)
      if (existsSync(given)) writeFileSync(join(group, file), readFileSync(given))
    }
  }
}

/** Ends all that runs in the groups of this name. */
export async function endControlGroup(name: string): Promise<void> {
  const groups = groupsOf(name).flatMap(withThoseInside)
  await until(() => {
    const pids = groups.flatMap(processesIn)
    for (const pid of pids) end(pid)
    return pids.length === 0
  })
}

export async function removeControlGroup(name: string): Promise<void> {
  await endControlGroup(name)
  for (const group of groupsOf(name).flatMap(withThoseInside).reverse()) rmdirSync(group)
}

/** Ends the processes whose command line contains this unique path. */
export function endByPath(path: string): void {
  for (const pid of processesOf(path, ['cmdline'])) end(pid)
}

/** Ends all processes with this folder in their command line, environment or working directory. */
export async function endAllOf(folder: string): Promise<void> {
  await until(() => {
    const pids = processesOf(folder, ['cmdline', 'environ', 'cwd'])
    for (const pid of pids) end(pid)
    return pids.length === 0
  })
}

function processesOf(path: string, where: ('cmdline' | 'environ' | 'cwd')[]): number[] {
  const procFile = (pid: number, what: string) => {
    const file = `/proc/${pid}/${what}`
    try {
      return what === 'cwd' ? readlinkSync(file) : readFileSync(file, 'utf8')
    } catch {
      // It has ended.
      return ''
    }
  }
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && where.some((what) => procFile(pid, what).includes(path)))
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

/** The group and those in it, the outermost first. */
function withThoseInside(group: string): string[] {
  if (!existsSync(group)) return []
  const inside = readdirSync(group, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return [group, ...inside.flatMap(({ name }) => withThoseInside(join(group, name)))]
}

function processesIn(group: string): number[] {
  try {
    return readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number)
  } catch {
    return []
  }
}
