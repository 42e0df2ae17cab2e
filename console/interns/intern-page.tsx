import { useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import { everyItem } from '../api/pages.ts'
import { useGet, useResource } from '../api/resource.ts'
import { asks, useMe } from '../api/session.ts'
import type { Intern } from '../api/types.ts'
import { Heading } from '../components/heading.tsx'
import { Failed, Loading, Nothing } from '../components/page-states.tsx'
import { Ago } from '../components/timestamp.tsx'
import { counted } from '../format/count.ts'
import { Files } from './files/files.tsx'
import { Place } from './hosts/intern-host.tsx'
import { Inbox } from './inbox.tsx'
import { InternActs } from './intern-actions.tsx'
import { State } from './intern-status.tsx'
import { useChanges, useWorld, type Waiting } from './intern-updates.ts'
import { Log } from './log/intern-log.tsx'
import { NewSession } from './new-session.tsx'
import { Rules } from './rules/rules.tsx'
import { Tabs, usePart } from './tabs.tsx'
import { Tools } from './tools/tools.tsx'
import { shown } from './visible-text.ts'

/** One intern: how it is, what it asks, and its conversations. */
export function InternPage({ id }: { id: string }) {
  const { data, failure, reload } = useGet('GET /interns/{internId}', { params: { internId: id } })
  const world = useWorld()
  useChanges(reload)
  const mayChange = asks() && useMe()?.member.id === data?.creator_user_id
  const waiting = world.data?.waiting.filter(({ intern }) => intern.id === data?.id) ?? []
  return (
    <div class="page interns-page">
      <p>
        <a href="/interns">← Interns</a>
      </p>
      {failure && <Failed failure={failure} again={reload} />}
      {!failure && !data && <Loading />}
      {data && (
        <>
          <header>
            <Heading>{data.name}</Heading>
            <State intern={data} />
            <InternActs intern={data} after={reload} />
          </header>
          {data.last_failure_message && <p class="bad">{shown(data.last_failure_message)}</p>}
          {data.description && <p>{shown(data.description)}</p>}
          <p class="dim">
            {data.approval_mode === 'manual' ? 'Manual approval' : 'Self-drive'} · {data.model ?? 'default model'} ·{' '}
            {data.visibility === 'workspace' ? 'Visible to the workspace' : 'Visible to its creator'}
          </p>
          <Place intern={data} mayChange={mayChange} after={reload} />
          <Tabs tabs={asks() ? [...tabs, { name: 'log', title: 'Log' }] : tabs} />
          <Part intern={data} waiting={waiting} mayChange={mayChange} after={reload} />
        </>
      )}
    </div>
  )
}

const tabs = [
  { name: '', title: 'Sessions' },
  { name: 'rules', title: 'Rules' },
  { name: 'tools', title: 'Tools' },
]

type PartProps = { intern: Intern; waiting: Waiting[]; mayChange: boolean; after: () => void }

function Part({ intern, waiting, mayChange, after }: PartProps) {
  const part = usePart()
  if (part === 'rules') return <Rules owner={{ kind: 'intern', id: intern.id }} mayChange={mayChange} />
  if (part === 'tools') return <Tools intern={intern} mayChange={mayChange} after={after} />
  if (part === 'log' && asks()) return <Log id={intern.id} />
  return (
    <>
      <Inbox waiting={waiting} />
      <h2>Sessions</h2>
      {intern.status === 'running' && asks() && <NewSession intern={intern} />}
      {intern.status !== 'running' && <NotRunning />}
      <Sessions id={intern.id} name={intern.name} />
      {asks() && <Files id={intern.id} />}
    </>
  )
}

export const NotRunning = () => <p class="dim">The intern is not running. Wake it to continue.</p>

/** So many sessions are told at first. */
const told = 100

function Sessions({ id, name }: { id: string; name: string }) {
  const [most, tell] = useState(told)
  const { data, failure, reload } = useResource(`sessions of ${id} ${most}`, (signal) =>
    everyItem(
      (query) => call('GET /interns/{internId}/sessions', { params: { internId: id }, query }, { signal }),
      most,
    ),
  )
  useChanges(reload)
  if (failure) return <Failed failure={failure} again={reload} />
  if (!data) return <Loading />
  if (data.rows.length === 0)
    return (
      <Nothing title="No sessions yet" {...(asks() && { paste: `npx signalbox chat ${name}` })}>
        {asks() && <p>Write a message above, or run:</p>}
      </Nothing>
    )
  return (
    <>
      <ul class="interns sessions">
        {data.rows.map((session) => (
          <li key={session.id}>
            <a href={`/interns/${id}/${encodeURIComponent(session.id)}`} title={shown(session.title)}>
              {shown(session.title) || 'Untitled'}
            </a>
            <span class={session.status === 'waiting' ? 'warn' : 'dim'}>{session.status}</span>
            <span class="dim about">
              {counted(session.turns, 'turn')} · <Ago time={session.updated_at} />
            </span>
          </li>
        ))}
      </ul>
      {data.hasMore && (
        <p>
          <button type="button" onClick={() => tell(most * 4)}>
            Show more
          </button>
        </p>
      )}
    </>
  )
}
