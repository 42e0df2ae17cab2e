import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { runWhenVisible } from '../../api/connection/retry.ts'
import { useGet } from '../../api/resource.ts'
import { FailureState, Loading } from '../../components/page/page-states.tsx'
import { escapeInvisible } from '../visible-text.ts'
import { parseLine } from './log-line.ts'

const maxLines = 500
const pollMs = 2000

/** The log of an intern's daemon, updated while live. */
export function Log({ internId }: { internId: string }) {
  const [isLive, setLive] = useState(true)
  const input = { params: { internId }, query: { lines: maxLines } }
  const { data, failure, isLoading, isStale, reload } = useGet('GET /interns/{internId}/log', input)
  const scroller = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!isLive || isLoading || isStale || failure) return
    return runWhenVisible(pollMs, reload)
  }, [isLive, isLoading, isStale, failure, reload])
  const log = data?.data
  useLayoutEffect(() => {
    if (isLive && scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight
  }, [isLive, log])
  return (
    <>
      <p class="log-bar">
        <button type="button" class="chip" aria-pressed={isLive} onClick={() => setLive(!isLive)}>
          {isLive && <span class="dot ok" />}
          <b>{isLive ? 'Live' : 'Paused'}</b>
        </button>
        <button type="button" onClick={reload}>
          Refresh
        </button>
        {log?.has_more && <span class="dim">the last {log.lines.length} lines</span>}
      </p>
      {failure && <FailureState failure={failure} onRetry={reload} />}
      {!failure && !log && <Loading />}
      {!failure && log?.message && <p class="dim">{log.message}</p>}
      {!failure && log && !log.message && (
        <section ref={scroller} class="log" aria-label="Log" tabIndex={0}>
          <pre>{log.lines.length === 0 ? 'The log is empty.' : log.lines.map((line) => <Line line={line} />)}</pre>
        </section>
      )}
    </>
  )
}

function Line({ line }: { line: string }) {
  const parsed = parseLine(line)
  if ('text' in parsed) return <span class="log-line">{escapeInvisible(parsed.text)}</span>
  return (
    <span class="log-line">
      <time class="dim" dateTime={parsed.time}>
        {escapeInvisible(parsed.time.replace('T', ' ').replace(/\.\d+Z$/, ''))}
      </time>{' '}
      <b>{escapeInvisible(parsed.event)}</b> {escapeInvisible(parsed.details)}
    </span>
  )
}
