import { startReconciler } from '#platform/async/reconcile.ts'
import type { DiskUse } from '#platform/files/disk-use.ts'
import { findTree, listProcesses, type Process } from './process-table.ts'
import {
  emptyLongLog,
  findExceededDiskLimit,
  findExceededProcessLimit,
  type ResourceLimits,
} from './resource-limits.ts'

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
  onMeasureError: (error: Error) => void
  measureDiskUse?: DiskUse
  everyMs?: { processes: number; disk: number }
}

/** Counting files can take long on a large disk. The pause after it is at least `pauseFactor` times as long. */
const checkEveryMs = { processes: 1000, disk: 5000 }
const pauseFactor = 20

/**
 * Ends an intern that uses more than its limits, then calls `onExceeded` once with the reason. Checks only limits that the
 * kernel does not enforce, because they must be added up over processes or files. The kernel counts the processes of a user,
 * so the processes of an intern without a separate user are counted by this function.
 * @returns a function that stops the monitor.
 */
export function monitorResources(monitored: MonitoredIntern, onExceeded: (reason: string) => void): () => void {
  const { home, resourceLimits, onMeasureError, measureDiskUse, everyMs = checkEveryMs } = monitored
  const stopController = new AbortController()
  const endIfExceeded = async (reason: string | undefined) => {
    if (stopController.signal.aborted || reason === undefined) return
    stopController.abort()
    // If processes could not be ended, the next start reports that.
    await monitored.end().catch(() => {})
    onExceeded(reason)
  }
  const start = (firstMs: number, check: () => Promise<number>) =>
    startReconciler(check, { signal: stopController.signal, firstMs, retryMs: firstMs, onError: onMeasureError })

  start(everyMs.processes, async () => {
    emptyLongLog(home, resourceLimits)
    await endIfExceeded(findExceededProcessLimit(processesOfIntern(await readProcesses(), monitored), resourceLimits))
    return everyMs.processes
  })
  start(everyMs.disk, async () => {
    const startedAt = performance.now()
    await endIfExceeded(await findExceededDiskLimit(home, resourceLimits, measureDiskUse))
    return Math.max(everyMs.disk, (performance.now() - startedAt) * pauseFactor)
  })
  return () => stopController.abort()
}

function processesOfIntern(processes: Process[], { uid, pid }: MonitoredIntern): Process[] {
  return uid === undefined ? findTree(processes, pid) : processes.filter(({ users }) => users.includes(uid))
}

let lastListing: { at: number; processes: Promise<Process[]> } | undefined

/** A list is used for this time. It is shorter than the interval of checks, so that each check of an intern gets a new one. */
const listingMs = checkEveryMs.processes * 0.8

/** Lists the processes about once per second, for all interns together. */
function readProcesses(): Promise<Process[]> {
  const at = performance.now()
  if (lastListing === undefined || at - lastListing.at > listingMs) lastListing = { at, processes: listProcesses() }
  return lastListing.processes
}
