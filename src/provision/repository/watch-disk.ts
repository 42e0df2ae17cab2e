import { repeat } from '#platform/async/reconcile.ts'
import type { DiskUse } from '#platform/files/disk-use.ts'
import { findExceededDiskLimit, type ResourceLimits } from '../host/resource-limits.ts'

const checkEveryMs = 2000

type WatchDiskOptions = {
  home: string
  config: Pick<ResourceLimits, 'intern_disk_bytes'>
  /** Called after each measurement that failed; the clone continues. */
  onMeasureError: (error: Error) => void
  measureDiskUse?: DiskUse
  everyMs?: number
}

/**
 * Watches the disk use of a clone, because the server can announce a wrong size. `exceededSignal` is aborted with the reason
 * if the clone uses more than an intern is allowed to.
 */
export function watchDisk({ home, config, onMeasureError, measureDiskUse, everyMs = checkEveryMs }: WatchDiskOptions) {
  const limitController = new AbortController()
  /** Never rejects: the intern's monitor measures again later. */
  const check = async () => {
    try {
      const reason = await findExceededDiskLimit(home, config, measureDiskUse)
      if (reason) limitController.abort(new Error(reason.replace(/\.$/, '')))
    } catch (error) {
      onMeasureError(error as Error)
    }
  }
  return {
    exceededSignal: limitController.signal,
    check,
    stop: repeat(check, { firstMs: everyMs, everyMs, onError: onMeasureError }),
  }
}
