import { computed, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { FailedRead } from './retry.ts'

/** Failed reads whose previous data is still displayed. */
const failedReads = signal<readonly FailedRead[]>([])

/** The oldest failed read. It says since when the page shows earlier data, and why. */
export const oldestFailedRead = computed(() => [...failedReads.value].sort((a, b) => a.since - b.since)[0])

/** Registers a failed read while the component is mounted. */
export function useStaleNotice(failedRead: FailedRead | undefined): void {
  useEffect(() => {
    if (!failedRead) return
    failedReads.value = [...failedReads.peek(), failedRead]
    return () => {
      failedReads.value = failedReads.peek().filter((one) => one !== failedRead)
    }
  }, [failedRead])
}
