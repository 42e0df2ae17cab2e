import { useEffect } from 'preact/hooks'
import { useGet } from './api/resource.ts'
import { isPassing } from './api/retry.ts'
import type { Session } from './api/types.ts'
import { setBadge } from './components/badges.ts'

/** So often it is asked: a question waits for minutes, and a stream for each window would be one too many. */
const askMs = 10_000
/** More are told as so many. */
const counted = 100

/** Counts the questions that wait, on whatever screen one is. The screen of interns counts by itself, as it happens. */
export function useWaitingQuestions(session: Session | undefined, here: string | undefined): void {
  const isOn = session !== undefined && here !== 'interns'
  const { data, failure, isCurrent, reload } = useGet(
    'GET /interns/questions',
    isOn ? { query: { limit: counted } } : undefined,
  )
  const count = data?.data.length
  useEffect(() => {
    if (isOn && isCurrent && count !== undefined) setBadge('interns', count)
  }, [isOn, isCurrent, count])
  // Who may not see interns is not asked again.
  const isRefused = failure !== undefined && !isPassing(failure)
  useEffect(() => {
    if (!isOn || isRefused) return
    const asking = setInterval(() => {
      if (!document.hidden) reload()
    }, askMs)
    return () => clearInterval(asking)
  }, [isOn, isRefused, reload])
}
