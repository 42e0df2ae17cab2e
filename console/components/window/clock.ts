import { signal } from '@preact/signals'

/** The current time, updated every second while the page is visible. */
export const now = signal(new Date())

if (typeof document !== 'undefined') {
  setInterval(() => {
    if (!document.hidden) now.value = new Date()
  }, 1000)
}
