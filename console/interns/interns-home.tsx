import type { ComponentType } from 'preact'
import { Failure } from '../api/failure.ts'
import { useMe } from '../api/session.ts'
import type { Session } from '../api/types.ts'
import { Heading } from '../components/heading.tsx'
import { Failed, Loading, Nothing } from '../components/page-states.tsx'
import { Hosts } from './hosts/hosts.tsx'
import { Overview } from './overview.tsx'
import { WorkspaceRules } from './rules/workspace-rules.tsx'
import { type Tab, Tabs, usePart } from './tabs.tsx'
import { Webhooks } from './webhooks/webhooks.tsx'

/** `seenBy`: everybody unless told. */
type Part = Tab & { Part: ComponentType; seenBy?: Session['role'][] }

const parts: Part[] = [
  { name: '', title: 'Interns', Part: Overview },
  { name: 'rules', title: 'Workspace rules', Part: WorkspaceRules, seenBy: ['owner', 'admin', 'viewer'] },
  { name: 'hosts', title: 'Hosts', Part: Hosts },
  { name: 'webhooks', title: 'Webhooks', Part: Webhooks, seenBy: ['owner', 'admin'] },
]

const forbidden = new Failure(403, 'You need access to the whole organization to see this.')

/** What waits and who there is, and what holds for all interns of the workspace. */
export function Home() {
  const here = usePart()
  const may = useMe()?.role
  if (may === undefined) return <Loading />
  const seen = parts.filter(({ seenBy }) => !seenBy || seenBy.includes(may))

  const shown = parts.find(({ name }) => name === here)
  return (
    <div class="page interns-page">
      <header>
        <Heading part={shown?.title}>Interns</Heading>
        {seen.length > 1 && <Tabs tabs={seen} />}
      </header>
      {!shown && <Nothing title="Page not found" />}
      {shown && (seen.includes(shown) ? <shown.Part /> : <Failed failure={forbidden} />)}
    </div>
  )
}
