import { useEffect, useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import { fetchAllCursorPages } from '../api/pages.ts'
import { useGet, useResource } from '../api/resource.ts'
import { canUseModelsAndInterns, currentSession } from '../api/session.ts'
import type { Intern } from '../api/types.ts'
import { Heading } from '../components/page/heading.tsx'
import { EmptyState, FailureState, Loading } from '../components/page/page-states.tsx'
import { RelativeTime } from '../components/text/timestamp.tsx'
import { countText } from '../format/count.ts'
import { Files } from './files/files.tsx'
import { ChangeIntern, DeleteIntern, isDeletable } from './form/change-intern.tsx'
import { InternHost } from './hosts/intern-host.tsx'
import { type OpenQuestion, useInternChanges, useInterns } from './intern-updates.ts'
import { InternActions } from './list/intern-actions.tsx'
import { InternStatus } from './list/intern-status.tsx'
import { Log } from './log/intern-log.tsx'
import { Inbox } from './questions/inbox.tsx'
import { Rules } from './rules/rules.tsx'
import { NewSession } from './sessions/new-session.tsx'
import { Tabs, useCurrentTab } from './tabs.tsx'
import { Tools } from './tools/tools.tsx'
import { escapeInvisible } from './visible-text.ts'

/** An intern: status, open questions and sessions. */
export function InternPage({ internId }: { internId: string }) {
  const { data, failure, reload } = useGet('GET /interns/{internId}', { params: { internId } })
  const interns = useInterns()
  useInternChanges(reload)
  const canChange = canUseModelsAndInterns() && currentSession()?.member.id === data?.creator_user_id
  const questions = interns.data?.questions.filter(({ intern }) => intern.id === data?.id) ?? []
  return (
    <div class="page interns-page">
      <p>
        <a href="/interns">← Interns</a>
      </p>
      {failure && <FailureState failure={failure} onRetry={reload} />}
      {!failure && !data && <Loading />}
      {data && (
        <>
          <header>
            <Heading>{data.name}</Heading>
            <InternStatus intern={data} />
            <InternActions intern={data} onDone={reload} />
            {canChange && <EditButtons intern={data} onDone={reload} />}
          </header>
          {data.last_failure_message && <p class="bad">{escapeInvisible(data.last_failure_message)}</p>}
          {data.description && <p>{escapeInvisible(data.description)}</p>}
          <p class="dim">
            {data.approval_mode === 'manual'
              ? 'Approval mode: manual'
              : 'Approval mode: self-drive, without a sandbox by default'}{' '}
            · {data.model ?? 'default model'} ·{' '}
            {data.visibility === 'workspace' ? 'Visible to the workspace' : 'Visible to its creator'}
          </p>
          <InternHost intern={data} canChange={canChange} onDone={reload} />
          <Tabs tabs={canUseModelsAndInterns() ? [...tabs, { name: 'log', title: 'Log' }] : tabs} />
          <Tab intern={data} questions={questions} canChange={canChange} onDone={reload} />
        </>
      )}
    </div>
  )
}

/** Buttons to change and delete the intern. */
function EditButtons({ intern, onDone }: { intern: Intern; onDone: () => void }) {
  const [openDialog, setOpenDialog] = useState<'change' | 'delete'>()
  const close = () => setOpenDialog(undefined)
  return (
    <span class="intern-actions">
      <button type="button" onClick={() => setOpenDialog('change')}>
        Change
      </button>
      {isDeletable(intern) && (
        <button type="button" onClick={() => setOpenDialog('delete')}>
          Delete
        </button>
      )}
      {openDialog === 'change' && <ChangeIntern intern={intern} onDone={onDone} onClose={close} />}
      {openDialog === 'delete' && <DeleteIntern intern={intern} onClose={close} />}
    </span>
  )
}

const tabs = [
  { name: '', title: 'Sessions' },
  { name: 'rules', title: 'Rules' },
  { name: 'tools', title: 'Tools' },
]

type TabProps = { intern: Intern; questions: OpenQuestion[]; canChange: boolean; onDone: () => void }

function Tab({ intern, questions, canChange, onDone }: TabProps) {
  const currentTab = useCurrentTab()
  if (currentTab === 'rules') return <Rules owner={{ kind: 'intern', id: intern.id }} canChange={canChange} />
  if (currentTab === 'tools') return <Tools intern={intern} canChange={canChange} onDone={onDone} />
  if (currentTab === 'log' && canUseModelsAndInterns()) return <Log internId={intern.id} />
  return (
    <>
      <Inbox questions={questions} />
      <h2>Sessions</h2>
      {intern.status === 'running' && canUseModelsAndInterns() && <NewSession intern={intern} />}
      {isInTransition(intern) ? (
        <p class="dim">Sessions and files appear when the intern is {endOfTransition[intern.status]}.</p>
      ) : (
        <>
          {intern.status !== 'running' && <NotRunning />}
          <Sessions intern={intern} />
          {canUseModelsAndInterns() && <Files internId={intern.id} />}
        </>
      )}
    </>
  )
}

/** The states in which the service cannot read sessions and files, and the states after them. */
const endOfTransition: Partial<Record<Intern['status'], string>> = {
  queued: 'started',
  provisioning: 'started',
  destroying: 'stopped',
}
const isInTransition = ({ status }: Intern) => endOfTransition[status] !== undefined

export const NotRunning = () => <p class="dim">The intern is not running. Wake it to continue.</p>

/** Sessions displayed at first. Each press of the button reads the list again from its start, so it shows many more. */
const initialSessions = 100
const moreFactor = 4
/** The end of a turn without a question has no event. */
const activePollMs = 3_000

function Sessions({ intern: { id, name, status } }: { intern: Intern }) {
  const [maxSessions, setMaxSessions] = useState(initialSessions)
  const { data, failure, reload } = useResource(`sessions of ${id} ${maxSessions}`, (signal) =>
    fetchAllCursorPages(
      (query) => call('GET /interns/{internId}/sessions', { params: { internId: id }, query }, { signal }),
      maxSessions,
    ),
  )
  useInternChanges(reload)
  const isActive = data?.rows.some(({ status }) => status !== 'idle') === true
  useEffect(() => {
    if (!isActive) return
    const timer = setInterval(() => !document.hidden && reload(), activePollMs)
    return () => clearInterval(timer)
  }, [isActive, reload])
  if (failure) return <FailureState failure={failure} onRetry={reload} />
  if (!data) return <Loading />
  if (data.rows.length === 0) {
    const canStart = status === 'running' && canUseModelsAndInterns()
    return (
      <EmptyState title="No sessions yet" command={canStart ? `npx signalbox chat ${name}` : undefined}>
        {canStart && <p>Write a message above, or run:</p>}
      </EmptyState>
    )
  }
  return (
    <>
      <ul class="interns sessions">
        {data.rows.map((session) => (
          <li key={session.id}>
            <a href={`/interns/${id}/${encodeURIComponent(session.id)}`} title={escapeInvisible(session.title)}>
              {escapeInvisible(session.title) || 'Untitled'}
            </a>
            <span class={session.status === 'waiting' ? 'warn' : 'dim'}>{session.status}</span>
            <span class="dim about">
              {countText(session.turns, 'turn')} · <RelativeTime time={session.updated_at} />
            </span>
          </li>
        ))}
      </ul>
      {data.hasMore && (
        <p>
          <button type="button" onClick={() => setMaxSessions(maxSessions * moreFactor)}>
            Show more
          </button>
        </p>
      )}
    </>
  )
}
