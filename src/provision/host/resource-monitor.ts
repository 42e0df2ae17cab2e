import { startReconciler } from '#platform/async/reconcile.ts'
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

/** Counting files can take long on a large disk. The pause after it is at least `pauseFactor` times as long. */
const checkEveryMs = { processes: 1000, disk: 5000 }
const pauseFactor = 20

/**
 * Ends an intern that uses more than its limits, then calls `onExceeded` once with the reason. Limits that the kernel
 * enforces are not checked here, only those that must be added up.
 * @returns a function that stops the monitor.
 */
export function monitorResources(monitored: MonitoredIntern, onExceeded: (reason: string) => void): () => void {
  const { home, resourceLimits, onUncounted, count, everyMs = checkEveryMs } = monitored
  const stopping = new AbortController()
  const endIfExceeded = async (reason: string | undefined) => {
    if (stopping.signal.aborted || reason === undefined) return
    stopping.abort()
    // If processes could not be ended, the next start reports that.
    await monitored.end().catch(() => {})
    onExceeded(reason)
  }
  const start = (firstMs: number, pass: () => Promise<number>) =>
    startReconciler(pass, { signal: stopping.signal, firstMs, retryMs: firstMs, onError: onUncounted })

  start(everyMs.processes, async () => {
    trimLog(home, resourceLimits)
    await endIfExceeded(exceededByProcesses(processesOfIntern(await processesNow(), monitored), resourceLimits))
    return everyMs.processes
  })
  start(everyMs.disk, async () => {
    const since = performance.now()
    await endIfExceeded(await exceededByDisk(home, resourceLimits, count))
    return Math.max(everyMs.disk, (performance.now() - since) * pauseFactor)
  })
  return () => stopping.abort()
}

function processesOfIntern(all: Process[], { uid, pid }: MonitoredIntern): Process[] {
  return uid === undefined ? treeOf(all, pid) : all.filter(({ users }) => users.includes(uid))
}

let listed: { at: number; processes: Promise<Process[]> } | undefined

/** One list per second is used for all interns. */
function processesNow(): Promise<Process[]> {
  const at = performance.now()
  if (listed === undefined || at - listed.at > checkEveryMs.processes * 0.8) listed = { at, processes: listProcesses() }
  return listed.processes
}
