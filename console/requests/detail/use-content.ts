import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { isRetryable } from '../../api/connection/retry.ts'
import { useGet } from '../../api/resource.ts'

/** Whether prompts are displayed: from the first click on Show until a request has none stored. */
const isVisible = signal(false)

/** The stored prompt and response of a request, loaded while prompts are displayed. @param requestId undefined disables loading. */
export function useContent(requestId: string | undefined) {
  const content = useGet(
    'GET /generation/content',
    requestId !== undefined && isVisible.value ? { query: { id: requestId } } : undefined,
  )
  const isMissing = content.failure !== undefined && !isRetryable(content.failure)
  // This request reports that nothing is stored; the next one does not load it.
  useEffect(() => {
    if (!isMissing) return
    return () => {
      isVisible.value = false
    }
  }, [isMissing])
  return {
    ...content,
    isVisible: isVisible.value,
    show: () => {
      isVisible.value = true
    },
  }
}
