import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useGet } from '../../api/resource.ts'
import { Failed, Loading } from '../../components/page-states.tsx'
import { shown } from '../visible-text.ts'
import { lineOf } from './log-line.ts'

const lines = 500
/** While it is followed it is asked for so often. */
const lookEveryMs = 2000

/** What the daemon of an intern has said, and while it is followed what it says. */
export function Log({ id }: { id: string }) {
  const [isFollowed, follow] = useState(true)
  const input = { params: { internId: id }, query: { lines } }
  const { data, failure, isLoading, isBehind, reload } = useGet('GET /interns/{internId}/log', input)
  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!isFollowed || isLoading || isBehind || failure) return
    const look = () => {
      if (!document.hidden) return reload()
      timer = window.setTimeout(look, lookEveryMs)
    }
    let timer = window.setTimeout(look, lookEveryMs)
    return () => clearTimeout(timer)
  }, [isFollowed, isLoading, isBehind, failure, reload])
  const log = data?.data
  useLayoutEffect(() => {
    if (isFollowed && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [isFollowed, log])
  return (
    <>
      <p class="log-bar">
        <button type="button" class="chip" aria-pressed={isFollowed} onClick={() => follow(!isFollowed)}>
          {isFollowed && <span class="dot ok" />}
          <b>{isFollowed ? 'Live' : 'Paused'}</b>
        </button>
        <button type="button" onClick={reload}>
          Refresh
        </button>
        {log?.has_more && <span class="dim">the last {log.lines.length} lines</span>}
      </p>
      {failure && <Failed failure={failure} again={reload} />}
      {!failure && !log && <Loading />}
      {!failure && log?.message && <p class="dim">{log.message}</p>}
      {!failure && log && !log.message && (
        <section ref={box} class="log" aria-label="Log" tabIndex={0}>
          <pre>{log.lines.length === 0 ? 'The log is empty.' : log.lines.map((line) => <Line line={line} />)}</pre>
        </section>
      )}
    </>
  )
}

function Line({ line }: { line: string }) {
  const said = lineOf(line)
  if ('text' in said) return <span class="log-line">{shown(said.text)}</span>
  return (
    <span class="log-line">
      <time class="dim" dateTime={said.time}>
        {shown(said.time.replace('T', ' ').replace(/\.\d+Z$/, ''))}
      </time>{' '}
      <b>{shown(said.event)}</b> {shown(said.told)}
    </span>
  )
}
