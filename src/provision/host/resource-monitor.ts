import type { DiskUse } from '#platform/files/disk-use.ts'
import { listProcesses, type Process, treeOf } from './process-table.ts'
import { exceededByDisk, exceededByProcesses, type ResourceLimits, trimLog } from './resource-limits.ts'

export type MonitoredIntern = {
  home: string
  /** The daemon. */
  pid: number
  /** The user of all processes of the intern; undefined without a separate user. */
  uid: number | undefined
  resourceLimits: ResourceLimits
  /** Ends all processes of the intern. */
  end: () => Promise<void>
  /** Called after each measurement that failed; the next one follows. */
  onUncounted: (error: Error) => void
  count?: DiskUse
  everyMs?: { processes: number; disk: number }
}

/** Counting files can take long on a large disk. The pause after it is at least `pausesPerCount` times as long. */
const checkEveryMs = { processes: 1000, disk: 5000 }
const pausesPerCount = 20

/**
 * Ends an intern that uses more than its limits, then calls `over` once with the reason. Limits that the kernel
 * enforces are not checked here, only those that must be added up.
 * @returns a function that stops the monitor.
 */
export function monitorResources(used: MonitoredIntern, over: (reason: string) => void): () => void {
  const { home, resourceLimits, onUncounted, count, everyMs = checkEveryMs } = used
  let watched = true
  const exceeded = async (reason: string | undefined) => {
    if (!watched || reason === undefined) return
    stop()
    // If processes could not be ended, the next start reports that.
    await used.end().catch(() => {})
    over(reason)
  }
  const repeat = (look: () => Promise<string | undefined>, nextIn: (tookMs: number) => number, firstMs: number) => {
    const round = async () => {
      const since = performance.now()
      await look().then(exceeded, onUncounted)
      if (watched) timers[index] = setTimeout(round, nextIn(performance.now() - since)).unref()
    }
    const index = timers.push(setTimeout(round, firstMs).unref()) - 1
  }
  const timers: NodeJS.Timeout[] = []
  const stop = () => {
    watched = false
    timers.forEach(clearTimeout)
  }

  const countProcesses = async () => {
    trimLog(home, resourceLimits)
    return exceededByProcesses(ofIntern(await processesNow(), used), resourceLimits)
  }
  repeat(countProcesses, () => everyMs.processes, everyMs.processes)
  repeat(
    () => exceededByDisk(home, resourceLimits, count),
    (tookMs) => Math.max(everyMs.disk, tookMs * pausesPerCount),
    everyMs.disk,
  )
  return stop
}

function ofIntern(all: Process[], { uid, pid }: MonitoredIntern): Process[] {
  return uid === undefined ? treeOf(all, pid) : all.filter(({ users }) => users.includes(uid))
}

let listed: { at: number; processes: Promise<Process[]> } | undefined

/** One list per second is used for all interns. */
function processesNow(): Promise<Process[]> {
  const at = performance.now()
  if (listed === undefined || at - listed.at > checkEveryMs.processes * 0.8) listed = { at, processes: listProcesses() }
  return listed.processes
}
