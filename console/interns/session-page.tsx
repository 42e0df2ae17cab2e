import { useEffect, useRef } from 'preact/hooks'
import { useGet } from '../api/resource.ts'
import { asks } from '../api/session.ts'
import type { Intern } from '../api/types.ts'
import { Failed, Loading } from '../pieces/states.tsx'
import { Composer } from './composer.tsx'
import { EntryView } from './entry-view.tsx'
import { useTranscript } from './follow.ts'
import { Inbox } from './inbox.tsx'
import { NotRunning } from './intern-page.tsx'
import { useChanges, useWorld } from './live.ts'
import { shown } from './shown.ts'
import { say, stopRun } from './turns.ts'

/** One conversation, as it happens. */
export function SessionPage({ internId, sessionId }: { internId: string; sessionId: string }) {
  const { data: intern, failure, reload } = useGet('GET /interns/{internId}', { params: { internId } })
  useChanges(reload)
  return (
    <div class="page interns-page">
      <p>
        <a href="/interns">← Interns</a> / <a href={`/interns/${internId}`}>{intern?.name ?? '…'}</a>
      </p>
      {failure && <Failed failure={failure} again={reload} />}
      {!failure && !intern && <Loading />}
      {intern && intern.status !== 'running' && (
        <>
          <h1>A session</h1>
          <NotRunning />
        </>
      )}
      {intern?.status === 'running' && <Conversation intern={intern} sessionId={sessionId} />}
    </div>
  )
}

function Conversation({ intern, sessionId }: { intern: Intern; sessionId: string }) {
  const params = { internId: intern.id, sessionId }
  const told = useGet('GET /interns/{internId}/sessions/{sessionId}', { params, query: { limit: 1 } })
  useChanges(told.reload)
  const entries = useTranscript(intern.id, sessionId, told.data !== undefined)
  const waiting = useWorld().data?.waiting.filter(({ question }) => question.session_id === sessionId) ?? []
  if (told.failure) return <Failed failure={told.failure} again={told.reload} />
  if (!told.data) return <Loading />
  const { session } = told.data.data
  const run = entries?.at(-1)?.run_id
  return (
    <>
      <header>
        <h1>{shown(session.title) || 'A session'}</h1>
        <span class={session.status === 'waiting' ? 'warn' : 'dim'}>{session.status}</span>
        {session.status !== 'idle' && run !== undefined && asks() && (
          <button type="button" onClick={() => void stopRun(intern, run)}>
            Stop
          </button>
        )}
      </header>
      {session.dropped_entries > 0 && <p class="dim">What came first is no longer kept.</p>}
      <ol class="transcript" aria-label="Transcript">
        {entries?.map((entry) => (
          <EntryView key={entry.id} entry={entry} />
        ))}
      </ol>
      <Inbox waiting={waiting} />
      {session.status === 'idle' && asks() && (
        <Composer label={`Say something to ${intern.name}`} send={(text) => void say(intern, sessionId, text)} />
      )}
      <End count={entries?.length ?? 0} />
    </>
  )
}

/** What comes is followed, as long as one has not scrolled away from the end. */
function End({ count }: { count: number }) {
  const end = useRef<HTMLDivElement>(null)
  const isSeen = useRef(true)
  useEffect(() => {
    const watching = new IntersectionObserver(([seen]) => {
      isSeen.current = seen?.isIntersecting ?? true
    })
    watching.observe(end.current!)
    return () => watching.disconnect()
  }, [])
  useEffect(() => {
    if (isSeen.current) end.current?.scrollIntoView({ block: 'nearest' })
  }, [count])
  return <div ref={end} />
}
