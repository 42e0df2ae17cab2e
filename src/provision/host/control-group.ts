import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ResourceLimits } from './resource-limits.ts'

type InternUser = { id: string; uid?: number | undefined }

const limits = { 'pids.max': 'intern_processes', 'memory.max': 'intern_memory_bytes' } as const

/**
 * Makes an intern's control group, or takes up the one that is there. Its agent can make groups for its commands in it, and move
 * its own processes between them; the limits stay out of its reach.
 * @returns its folder.
 */
export function makeGroup(room: string, { id, uid }: InternUser, resourceLimits: ResourceLimits): string {
  const group = join(room, `intern-${id}`)
  mkdirSync(group, { recursive: true })
  if (uid !== undefined) for (const path of [group, join(group, 'cgroup.procs')]) chownSync(path, uid, uid)
  for (const [file, setting] of Object.entries(limits)) set(group, file, resourceLimits[setting] || 'max')
  // With a memory limit there is no swap: swapped memory would not count.
  set(group, 'memory.swap.max', resourceLimits.intern_memory_bytes ? 0 : 'max')
  return group
}

/** A process that has started none yet: all that it starts is in the group with it. */
export function putInto(group: string, pid: number): void {
  writeFileSync(join(group, 'cgroup.procs'), String(pid))
}

/** The limits that the control group does not enforce and that must be enforced in other ways. */
export function notHeldBy(group: string | undefined, resourceLimits: ResourceLimits): ResourceLimits {
  const held = Object.entries(limits).filter(([file]) => group !== undefined && existsSync(join(group, file)))
  return { ...resourceLimits, ...Object.fromEntries(held.map(([, setting]) => [setting, 0])) }
}

/**
 * Ends all that is in the group, in one stroke of the kernel where it can (from Linux 5.14 on).
 * @returns how many may still be there: none only when nothing is.
 */
export function endGroup(group: string): number {
  set(group, 'cgroup.kill', 1)
  if (!/^populated 1$/m.test(read(group, 'cgroup.events'))) return 0
  return Math.max(1, read(group, 'cgroup.procs').split('\n').length - 1)
}

/** One that is empty. Those in it are its own; where an intern has our user, it may have made some. */
export function removeGroup(group: string): void {
  try {
    for (const entry of readdirSync(group, { withFileTypes: true }))
      if (entry.isDirectory()) removeGroup(join(group, entry.name))
    rmdirSync(group)
  } catch {
    // It is gone, or something is in it: the next start takes it up.
  }
}

/** Added to the reason for an end if the kernel ended a process of the group for lack of memory. */
export function lackOfMemory(group: string | undefined): string {
  if (group === undefined || !/^oom_kill [1-9]/m.test(read(group, 'memory.events'))) return ''
  return ' It had come to all the memory it may hold (setting "intern_memory_bytes").'
}

function set(group: string, file: string, value: number | string): void {
  if (existsSync(join(group, file))) writeFileSync(join(group, file), String(value))
}

function read(group: string, file: string): string {
  try {
    return readFileSync(join(group, file), 'utf8')
  } catch {
    return ''
  }
}
