import { signal } from '@preact/signals'

/** Since when the service does not answer at all; undefined while it does. */
export const awaySince = signal<Date>()

/** So often it is asked whether it is there again. */
const askMs = 2_000
let asking: number | undefined

/** The service has answered something, whatever that was. */
export function heard(): void {
  clearInterval(asking)
  asking = undefined
  if (awaySince.peek()) awaySince.value = undefined
}

/** No answer came, or none of the service: from then on it is asked until one comes. */
export function unheard(): void {
  awaySince.value ??= new Date()
  asking ??= window.setInterval(() => void look(), askMs)
}

async function look(): Promise<void> {
  const answer = await fetch('/api/v1/health').catch(() => undefined)
  if (answer?.ok) heard()
}
