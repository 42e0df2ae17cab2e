import { signal } from '@preact/signals'
import { later } from './retry.ts'
import { withRoot } from './root.ts'

/** Since when the service does not answer at all; undefined while it does. */
export const awaySince = signal<Date>()

/** So often it is asked whether it is there again. */
const askMs = 2_000
/** Who has not answered by then is away. */
const patienceMs = 15_000
/** When it was first in doubt whether it answers: from then on it is asked. */
let doubted: Date | undefined
let callOff: (() => void) | undefined

/** The service has answered something, whatever that was. */
export function heard(): void {
  callOff?.()
  doubted = undefined
  if (awaySince.peek()) awaySince.value = undefined
}

/** No answer came, or none of the service. That may be so of one route alone: so it is asked whether it is there. */
export function unheard(): void {
  if (doubted) return
  doubted = new Date()
  void look()
}

/** Whether an answer is of the service. What stands before it says 502 to 504 in its place. */
export const isOfService = (answer: Response) => answer.status < 502 || answer.headers.has('x-request-id')

async function look(): Promise<void> {
  const since = doubted
  const answer = await fetch(withRoot('/api/v1/health'), { signal: AbortSignal.timeout(patienceMs) }).catch(
    () => undefined,
  )
  // Another answer may have come meanwhile.
  if (doubted !== since) return
  if (answer && isOfService(answer)) return heard()
  awaySince.value ??= since
  callOff = later(askMs, () => void look())
}
