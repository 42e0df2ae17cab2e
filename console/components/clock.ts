import { signal } from '@preact/signals'

/** The time, once a second while anybody looks. */
export const now = signal(new Date())

if (typeof document !== 'undefined') {
  setInterval(() => {
    if (!document.hidden) now.value = new Date()
  }, 1000)
}
