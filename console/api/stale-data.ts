import { computed, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { FailedRead } from './retry.ts'

/** What is shown though something newer could not be read. */
const failedReads = signal<readonly FailedRead[]>([])

/** Since when, and why, something on this page is not the latest. */
export const oldestFailedRead = computed(() => [...failedReads.value].sort((a, b) => +a.since - +b.since)[0])

/** Tells that what is shown here is not the latest, as long as it is so. */
export function useStaleNotice(failedRead: FailedRead | undefined): void {
  useEffect(() => {
    if (!failedRead) return
    failedReads.value = [...failedReads.peek(), failedRead]
    return () => {
      failedReads.value = failedReads.peek().filter((one) => one !== failedRead)
    }
  }, [failedRead])
}
