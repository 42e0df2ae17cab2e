import { computed, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Missed } from './retry.ts'

/** What is shown though something newer could not be read. */
const shown = signal<readonly Missed[]>([])

/** Since when, and why, something on this page is not the latest. */
export const behind = computed(() => [...shown.value].sort((a, b) => +a.since - +b.since)[0])

/** Tells that what is shown here is not the latest, as long as it is so. */
export function useBehind(missed: Missed | undefined): void {
  useEffect(() => {
    if (!missed) return
    shown.value = [...shown.peek(), missed]
    return () => {
      shown.value = shown.peek().filter((one) => one !== missed)
    }
  }, [missed])
}
