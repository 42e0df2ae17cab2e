import { signal } from '@preact/signals'
import { withRoot } from '../address/root.ts'
import { runWhenVisible } from './retry.ts'

/** The time since which the service has not responded; undefined while it responds. */
export const unreachableSince = signal<Date>()

const probeIntervalMs = 2_000
const probeTimeoutMs = 15_000
/** The time of the first missing response; undefined while the service responds. The service is probed until it responds. */
let suspectedAt: Date | undefined
let cancelProbe: (() => void) | undefined

/** Records that the service responded, with any status. */
export function reportResponse(): void {
  cancelProbe?.()
  suspectedAt = undefined
  if (unreachableSince.peek()) unreachableSince.value = undefined
}

/** Records a missing response and probes the service: perhaps only one route failed. */
export function reportNoResponse(): void {
  if (suspectedAt) return
  suspectedAt = new Date()
  void probe()
}

/** Whether the service sent the response. A proxy in front of it answers 502 to 504 by itself. */
export const isServiceResponse = (response: Response) => response.status < 502 || response.headers.has('x-request-id')

async function probe(): Promise<void> {
  const since = suspectedAt
  const response = await fetch(withRoot('/api/v1/health'), { signal: AbortSignal.timeout(probeTimeoutMs) }).catch(
    () => undefined,
  )
  // Another response may have arrived meanwhile.
  if (suspectedAt !== since) return
  if (response && isServiceResponse(response)) return reportResponse()
  unreachableSince.value ??= since
  cancelProbe = runWhenVisible(probeIntervalMs, () => void probe())
}
