import type { InternHealth } from '#interns/contract/daemon-api.ts'
import { connectRuns, type DaemonAddress } from '#interns/remote/connect-runs.ts'

/** The health that a daemon reports; undefined if it does not answer in time, or refuses all turns (`resting`), so that it must be ended. */
export async function readHealth(address: DaemonAddress, withinMs: number): Promise<InternHealth | undefined> {
  const runs = connectRuns(address)
  try {
    const health = await runs.health(AbortSignal.timeout(withinMs))
    return health.resting ? undefined : health
  } catch {
    return undefined
  } finally {
    runs.close()
  }
}
