import { chownSync, existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOrEmpty } from '#platform/files/read-or-empty.ts'
import type { ResourceLimits } from './resource-limits.ts'

type InternUser = { id: string; uid?: number | undefined }

/** The files of a control group with its limits, and the setting of each. */
const limits = { 'pids.max': 'intern_processes', 'memory.max': 'intern_memory_bytes' } as const

/**
 * Creates the control group of an intern, or reuses an existing one. The agent can create groups for its commands below it,
 * and move its own processes between them. It cannot change the limits.
 * @returns the folder of the group.
 */
export function createInternGroup(parent: string, { id, uid }: InternUser, resourceLimits: ResourceLimits): string {
  const group = join(parent, `intern-${id}`)
  mkdirSync(group, { recursive: true })
  if (uid !== undefined) for (const path of [group, join(group, 'cgroup.procs')]) chownSync(path, uid, uid)
  for (const [file, setting] of Object.entries(limits)) writeIfPresent(group, file, resourceLimits[setting] || 'max')
  // A memory limit disables swap, because swapped memory would not count.
  writeIfPresent(group, 'memory.swap.max', resourceLimits.intern_memory_bytes ? 0 : 'max')
  return group
}

/** Moves a process into the group. Call this before the process has children: they start in the group of their parent. */
export function addToGroup(group: string, pid: number): void {
  writeFileSync(join(group, 'cgroup.procs'), String(pid))
}

/** The limits to enforce without the control group: 0, which means no limit, replaces each one that the group enforces. */
export function selectLimitsOutsideGroup(group: string | undefined, resourceLimits: ResourceLimits): ResourceLimits {
  const enforced = Object.entries(limits).filter(([file]) => group !== undefined && existsSync(join(group, file)))
  return { ...resourceLimits, ...Object.fromEntries(enforced.map(([, setting]) => [setting, 0])) }
}

/**
 * Ends all processes of the group at once, if the kernel can (from Linux 5.14 on).
 * @returns the number of processes that can remain; 0 only if the group is empty.
 */
export function killGroup(group: string): number {
  writeIfPresent(group, 'cgroup.kill', 1)
  if (!/^populated 1$/m.test(readOrEmpty(join(group, 'cgroup.events')))) return 0
  // `cgroup.procs` does not list the processes of groups below this one.
  const processCount = readOrEmpty(join(group, 'cgroup.procs')).split('\n').length - 1
  return Math.max(1, processCount)
}

/** Removes an empty group and the groups below it. An intern that runs as the user of this process can create such groups. */
export function removeGroup(group: string): void {
  try {
    for (const entry of readdirSync(group, { withFileTypes: true }))
      if (entry.isDirectory()) removeGroup(join(group, entry.name))
    rmdirSync(group)
  } catch {
    // The group was removed already, or has processes: the next start reuses it.
  }
}

/**
 * Returns a sentence to append to the reason why a daemon ended: the kernel killed a process of its group for lack of memory.
 * Empty if the kernel killed none.
 */
export function describeOutOfMemory(group: string | undefined): string {
  if (group === undefined || !/^oom_kill [1-9]/m.test(readOrEmpty(join(group, 'memory.events')))) return ''
  return ' It used all of its memory (setting "intern_memory_bytes").'
}

function writeIfPresent(group: string, file: string, value: number | string): void {
  if (existsSync(join(group, file))) writeFileSync(join(group, file), String(value))
}
