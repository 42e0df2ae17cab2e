import { signal } from '@preact/signals'
import { runWhenVisible } from './retry.ts'
import { withRoot } from './root.ts'

/** Since when the service does not answer at all; undefined while it does. */
export const unreachableSince = signal<Date>()

/** So often it is asked whether it is there again. */
const probeIntervalMs = 2_000
/** Who has not answered by then is away. */
const probeTimeoutMs = 15_000
/** When it was first in doubt whether it answers: from then on it is asked. */
let suspectedAt: Date | undefined
let cancelProbe: (() => void) | undefined

/** The service has answered something, whatever that was. */
export function reportAnswer(): void {
  cancelProbe?.()
  suspectedAt = undefined
  if (unreachableSince.peek()) unreachableSince.value = undefined
}

/** No answer came, or none of the service. That may be so of one route alone: so it is asked whether it is there. */
export function reportNoAnswer(): void {
  if (suspectedAt) return
  suspectedAt = new Date()
  void probe()
}

/** Whether an answer is of the service. What stands before it says 502 to 504 in its place. */
export const isServiceResponse = (answer: Response) => answer.status < 502 || answer.headers.has('x-request-id')

async function probe(): Promise<void> {
  const since = suspectedAt
  const answer = await fetch(withRoot('/api/v1/health'), { signal: AbortSignal.timeout(probeTimeoutMs) }).catch(
    () => undefined,
  )
  // Another answer may have come meanwhile.
  if (suspectedAt !== since) return
  if (answer && isServiceResponse(answer)) return reportAnswer()
  unreachableSince.value ??= since
  cancelProbe = runWhenVisible(probeIntervalMs, () => void probe())
}
