import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useGet } from '../api/resource.ts'
import { isRetryable } from '../api/retry.ts'

/** What was said is shown to who asks for it, then for each request that is opened, until one has none. */
const isVisible = signal(false)

export function useContent(id: string | undefined) {
  const content = useGet('GET /generation/content', id !== undefined && isVisible.value ? { query: { id } } : undefined)
  const isMissing = content.failure !== undefined && !isRetryable(content.failure)
  // The next request does not ask for what is not kept; this one says so.
  useEffect(() => {
    if (!isMissing) return
    return () => {
      isVisible.value = false
    }
  }, [isMissing])
  return {
    ...content,
    isWanted: isVisible.value,
    show: () => {
      isVisible.value = true
    },
  }
}
