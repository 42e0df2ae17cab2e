import { useEffect, useRef } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { fetchAllCursorPages } from '../../api/pages.ts'
import { useGet, useResource } from '../../api/resource.ts'
import { canUseModelsAndInterns } from '../../api/session.ts'
import type { Intern } from '../../api/types.ts'
import { Heading } from '../../components/page/heading.tsx'
import { FailureState, Loading } from '../../components/page/page-states.tsx'
import { sendMessage, stopRun } from '../intern-messages.ts'
import { NotRunning } from '../intern-page.tsx'
import { useInternChanges, useInterns } from '../intern-updates.ts'
import { Inbox } from '../questions/inbox.tsx'
import { escapeInvisible } from '../visible-text.ts'
import { Composer } from './composer.tsx'
import { SessionTranscript } from './session-transcript.tsx'
import { useTranscript } from './use-transcript.ts'

/** A session, live while the intern runs. */
export function SessionPage({ internId, sessionId }: { internId: string; sessionId: string }) {
  const { data: intern, failure, reload } = useGet('GET /interns/{internId}', { params: { internId } })
  useInternChanges(reload)
  return (
    <div class="page interns-page">
      <p>
        <a href="/interns">← Interns</a> / <a href={`/interns/${internId}`}>{intern?.name ?? '…'}</a>
      </p>
      {failure && <FailureState failure={failure} onRetry={reload} />}
      {!failure && !intern && <Loading />}
      {intern && intern.status !== 'running' && <StoredConversation intern={intern} sessionId={sessionId} />}
      {intern?.status === 'running' && <Conversation intern={intern} sessionId={sessionId} />}
    </div>
  )
}

/** The stored transcript of a session whose intern does not run. */
function StoredConversation({ intern, sessionId }: { intern: Intern; sessionId: string }) {
  const params = { internId: intern.id, sessionId }
  const { data, failure, reload } = useResource(`stored session ${intern.id} ${sessionId}`, async (signal) => {
    let title = ''
    let turns = 0
    const { rows } = await fetchAllCursorPages(async (query) => {
      const page = await call('GET /interns/{internId}/sessions/{sessionId}', { params, query }, { signal })
      title = escapeInvisible(page.data.session.title)
      turns = page.data.session.turns
      return { ...page, data: page.data.entries }
    })
    return { title, turns, entries: rows }
  })
  if (failure) return <FailureState failure={failure} onRetry={reload} />
  if (!data) return <Loading />
  return (
    <>
      <Heading>{data.title || 'Session'}</Heading>
      <SessionTranscript intern={intern} sessionId={sessionId} turns={data.turns} entries={data.entries} />
      <NotRunning />
    </>
  )
}

function Conversation({ intern, sessionId }: { intern: Intern; sessionId: string }) {
  const params = { internId: intern.id, sessionId }
  const storedSession = useGet('GET /interns/{internId}/sessions/{sessionId}', { params, query: { limit: 1 } })
  useInternChanges(storedSession.reload)
  const entries = useTranscript(intern.id, sessionId, storedSession.data !== undefined)
  // The end of a run without a question does not send an event of its intern.
  const lastEnd = entries?.findLast(({ type }) => type === 'end')?.id
  useEffect(() => {
    if (lastEnd !== undefined) storedSession.reload()
  }, [lastEnd])
  const questions = useInterns().data?.questions.filter(({ question }) => question.session_id === sessionId) ?? []
  if (storedSession.failure) return <FailureState failure={storedSession.failure} onRetry={storedSession.reload} />
  if (!storedSession.data) return <Loading />
  const { session } = storedSession.data.data
  const run = entries?.at(-1)?.run_id
  return (
    <>
      <header>
        <Heading>{escapeInvisible(session.title) || 'Session'}</Heading>
        <span class={session.status === 'waiting' ? 'warn' : 'dim'}>{session.status}</span>
        {session.status !== 'idle' && run !== undefined && canUseModelsAndInterns() && (
          <button type="button" onClick={() => void stopRun(intern, run)}>
            Stop
          </button>
        )}
      </header>
      {session.dropped_entries > 0 && <p class="dim">Earlier entries are no longer stored.</p>}
      <SessionTranscript intern={intern} sessionId={sessionId} turns={session.turns} entries={entries} />
      <Inbox questions={questions} />
      {/* After the transcript has loaded, because that would move the input. */}
      {session.status === 'idle' && canUseModelsAndInterns() && (entries || session.turns === 0) && (
        <Composer label={`Message to ${intern.name}`} onSend={(text) => sendMessage(intern, sessionId, text)} />
      )}
      <ScrollAnchor count={entries?.length ?? 0} />
    </>
  )
}

/** Keeps the end of the transcript in view, unless the user scrolled away. */
function ScrollAnchor({ count }: { count: number }) {
  const end = useRef<HTMLDivElement>(null)
  const isVisible = useRef(true)
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => {
      isVisible.current = entry?.isIntersecting ?? true
    })
    observer.observe(end.current!)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    if (isVisible.current) end.current?.scrollIntoView({ block: 'nearest' })
  }, [count])
  return <div ref={end} />
}
