import { connectRuns, type DaemonAddress } from '#interns/connect-runs.ts'
import type { InternHealth } from '#interns/runs.ts'

/** What a daemon says of itself; undefined where it does not answer in time. */
export async function healthOf(address: DaemonAddress, withinMs: number): Promise<InternHealth | undefined> {
  const runs = connectRuns(address)
  try {
    return await runs.health(AbortSignal.timeout(withinMs))
  } catch {
    return undefined
  } finally {
    runs.close()
  }
}
