import { existsSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '#platform/config/settings.ts'
import { type DiskUse, diskUse } from '#platform/files/disk-use.ts'
import { readOrEmpty } from '#platform/files/read-or-empty.ts'
import { logFile } from './home/intern-home.ts'
import type { Process } from './process-table.ts'

/** The resource limits of one intern; 0 for none. */
export type ResourceLimits = Pick<
  Config,
  'intern_processes' | 'intern_memory_bytes' | 'intern_disk_bytes' | 'intern_log_bytes'
>

const prlimit = '/usr/bin/prlimit'

/** The kernel counts reserved memory, not used memory, and Node reserves much at its start. */
const minDataBytes = 2 * 1024 ** 3

/**
 * The prefix of a command whose limits the kernel enforces, for it and its children: the processes of a user, the
 * memory of each process and the size of each file. The other limits are monitored.
 */
export function prlimitCommand(resourceLimits: ResourceLimits, uid: number | undefined): string[] {
  if (!existsSync(prlimit)) return []
  const limits = [
    ['core', 'core file size', 0],
    ['nproc', 'processes', uid === undefined ? 0 : resourceLimits.intern_processes],
    [
      'data',
      'data size',
      resourceLimits.intern_memory_bytes && Math.max(resourceLimits.intern_memory_bytes, minDataBytes),
    ],
    ['fsize', 'file size', resourceLimits.intern_disk_bytes],
  ] as const
  // 0 means no limit, except for core files: they are never written.
  const limitOptions = limits.flatMap(([option, name, max]) =>
    max === 0 && option !== 'core' ? [] : [`--${option}=${Math.min(max, readOwnLimit(name))}`],
  )
  return [prlimit, ...limitOptions, '--']
}

/** A limit of this process cannot be raised for a child. */
function readOwnLimit(name: string): number {
  const line = new RegExp(`^Max ${name}\\s+\\S+\\s+(\\d+)`, 'm').exec(readOrEmpty('/proc/self/limits'))
  return line ? Number(line[1]) : Infinity
}

/** @returns the limit that is exceeded, as a sentence for the intern's owner; undefined if none is. */
export function findExceededProcessLimit(running: Process[], resourceLimits: ResourceLimits): string | undefined {
  const threads = running.reduce((sum, one) => sum + one.threads, 0)
  const bytes = running.reduce((sum, one) => sum + one.memoryBytes, 0)
  const { intern_processes: max, intern_memory_bytes: maxMemoryBytes } = resourceLimits
  if (max > 0 && threads > max)
    return `It had ${threads} processes and threads; at most ${max} are allowed (setting "intern_processes").`
  if (maxMemoryBytes > 0 && bytes > maxMemoryBytes)
    return `It used ${formatMiB(bytes)} of memory; at most ${formatMiB(maxMemoryBytes)} are allowed (setting "intern_memory_bytes").`
  return undefined
}

/**
 * @returns the limit of disk use, if it is exceeded, as a sentence for the intern's owner.
 * @throws Error if the disk use cannot be measured.
 */
export async function findExceededDiskLimit(
  home: string,
  { intern_disk_bytes: max }: Pick<ResourceLimits, 'intern_disk_bytes'>,
  measureDiskUse: DiskUse = diskUse,
): Promise<string | undefined> {
  const bytes = max > 0 ? await measureDiskUse(['workspace', 'state', 'cloning'].map((name) => join(home, name))) : 0
  if (bytes <= max) return undefined
  return `Its files use ${formatMiB(bytes)}; at most ${formatMiB(max)} are allowed (setting "intern_disk_bytes").`
}

/**
 * Empties a daemon's log above its limit. An intern that writes much output loses the earlier part, but does not fill the disk.
 */
export function emptyLongLog(home: string, { intern_log_bytes: max }: ResourceLimits): void {
  try {
    if (max > 0 && statSync(logFile(home)).size > max) truncateSync(logFile(home))
  } catch {
    // The log does not exist.
  }
}

const formatMiB = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2)} MiB`
