import { useEffect } from 'preact/hooks'
import { useGet } from './api/resource.ts'
import { isRetryable } from './api/retry.ts'
import type { Session } from './api/types.ts'
import { setBadge } from './components/badges.ts'

/** So often it is asked: a question waits for minutes, and a stream for each window would be one too many. */
const pollMs = 10_000
/** More are told as so many. */
const maxCounted = 100

/** Counts the questions that wait, on whatever screen one is. The screen of interns counts by itself, as it happens. */
export function usePendingQuestions(session: Session | undefined, currentScreen: string | undefined): void {
  const isEnabled = session !== undefined && currentScreen !== 'interns'
  const { data, failure, isCurrent, reload } = useGet(
    'GET /interns/questions',
    isEnabled ? { query: { limit: maxCounted } } : undefined,
  )
  const count = data?.data.length
  useEffect(() => {
    if (isEnabled && isCurrent && count !== undefined) setBadge('interns', count)
  }, [isEnabled, isCurrent, count])
  // Who may not see interns is not asked again.
  const isRefused = failure !== undefined && !isRetryable(failure)
  useEffect(() => {
    if (!isEnabled || isRefused) return
    const timer = setInterval(() => {
      if (!document.hidden) reload()
    }, pollMs)
    return () => clearInterval(timer)
  }, [isEnabled, isRefused, reload])
}
