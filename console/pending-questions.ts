import { useEffect } from 'preact/hooks'
import { isRetryable } from './api/connection/retry.ts'
import { useGet } from './api/resource.ts'
import type { Session } from './api/types.ts'
import { setBadge } from './components/page/badges.ts'

/** Questions wait for minutes, so polling is enough. An event stream for each window would cost a connection. */
const pollMs = 10_000
/** The highest number displayed. */
const maxCounted = 100

/** Keeps the badge of open questions current. The screen of interns does it itself from live events. */
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
  // A permanent error, such as missing permission, stops polling.
  const isRefused = failure !== undefined && !isRetryable(failure)
  useEffect(() => {
    if (!isEnabled || isRefused) return
    const timer = setInterval(() => {
      if (!document.hidden) reload()
    }, pollMs)
    return () => clearInterval(timer)
  }, [isEnabled, isRefused, reload])
}
