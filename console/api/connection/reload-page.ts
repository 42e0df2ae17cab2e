import { withRoot } from '../address/root.ts'
import { runWhenVisible } from './retry.ts'

const probeIntervalMs = 2_000
/** A page that cannot load its files must not reload all the time. */
const minReloadIntervalMs = 30_000
const storageKey = 'reloaded-at'

/** Reloads the page as soon as the service responds. @returns a function that cancels it. */
export function reloadWhenServed(): () => void {
  let cancel = () => {}
  const probe = async () => {
    const response = await fetch(withRoot('/api/v1/health')).catch(() => undefined)
    const isDue = Date.now() - Number(sessionStorage.getItem(storageKey)) > minReloadIntervalMs
    if (!response?.ok || !isDue) return schedule()
    sessionStorage.setItem(storageKey, String(Date.now()))
    location.reload()
  }
  const schedule = () => {
    cancel = runWhenVisible(probeIntervalMs, () => void probe())
  }
  schedule()
  return () => cancel()
}
