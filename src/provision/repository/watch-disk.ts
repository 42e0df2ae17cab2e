import type { DiskUse } from '#platform/files/disk-use.ts'
import { exceededByDisk, type ResourceLimits } from '../host/resource-limits.ts'

const lookEveryMs = 2000

type Watched = {
  home: string
  config: Pick<ResourceLimits, 'intern_disk_bytes'>
  /** Hears of each count that could not be made; the clone goes on. */
  uncounted: (error: Error) => void
  count?: DiskUse
  everyMs?: number
}

/**
 * Watches the size of a clone, which the server may announce wrongly. `exceeded` is aborted with the reason if the
 * clone takes more space than an intern may have.
 */
export function watchDisk({ home, config, uncounted, count, everyMs = lookEveryMs }: Watched) {
  const exceeded = new AbortController()
  /** Never rejects: who watches the intern later counts again. */
  const look = async () => {
    try {
      const why = await exceededByDisk(home, config, count)
      if (why) exceeded.abort(new Error(why.replace(/\.$/, '')))
    } catch (error) {
      uncounted(error as Error)
    }
  }
  const timer = setInterval(() => void look(), everyMs).unref()
  return { exceeded: exceeded.signal, look, end: () => clearInterval(timer) }
}
