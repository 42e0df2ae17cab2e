import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '#test/harness/until.ts'

/** What the kubelet and the network of pods set for the whole machine. */
const changed = ['vm/overcommit_memory', 'kernel/panic', 'kernel/panic_on_oops', 'net/ipv4/ip_forward']

/** @returns the way to put the kernel's settings back to what they are now. */
export function rememberKernelSettings(): () => void {
  const file = (name: string) => join('/proc/sys', name)
  const before = changed.map((name) => [file(name), readFileSync(file(name), 'utf8')] as const)
  return () => {
    for (const [name, value] of before) writeFileSync(name, value)
  }
}

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' })

/** A bridge with nothing on it: an address that is not loopback. */
export function addBridge(name: string, address: string): void {
  ip('link', 'add', name, 'type', 'bridge')
  ip('address', 'add', `${address}/32`, 'dev', name)
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

/** Ends the processes whose command line has this text in it: a path that is nobody else's. */
export function endByPath(path: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(path) && Number(pid) !== process.pid) end(Number(pid))
    } catch {
      // It has ended.
    }
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
