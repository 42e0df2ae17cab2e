import type { ComponentType } from 'preact'
import { Failure } from '../api/failure.ts'
import { useSession } from '../api/session.ts'
import type { Session } from '../api/types.ts'
import { Heading } from '../components/page/heading.tsx'
import { EmptyState, FailureState, Loading } from '../components/page/page-states.tsx'
import { Hosts } from './hosts/hosts.tsx'
import { Overview } from './list/overview.tsx'
import { WorkspaceRules } from './rules/workspace-rules.tsx'
import { type Tab, Tabs, usePart } from './tabs.tsx'
import { Webhooks } from './webhooks/webhooks.tsx'

/** A tab. `roles` are the roles that see it; all by default. */
type Part = Tab & { Part: ComponentType; roles?: Session['role'][] }

const parts: Part[] = [
  { name: '', title: 'Interns', Part: Overview },
  { name: 'rules', title: 'Workspace rules', Part: WorkspaceRules, roles: ['owner', 'admin', 'viewer'] },
  { name: 'hosts', title: 'Hosts', Part: Hosts },
  { name: 'webhooks', title: 'Webhooks', Part: Webhooks, roles: ['owner', 'admin'] },
]

const forbidden = new Failure(403, 'Your role in this workspace does not include this page.')

/** The tabs of the workspace: interns with open questions, rules, hosts and webhooks. */
export function Home() {
  const currentName = usePart()
  const role = useSession()?.role
  if (role === undefined) return <Loading />
  const visible = parts.filter(({ roles }) => !roles || roles.includes(role))

  const current = parts.find(({ name }) => name === currentName)
  return (
    <div class="page interns-page">
      <header>
        <Heading part={current?.title}>Interns</Heading>
        {visible.length > 1 && <Tabs tabs={visible} />}
      </header>
      {!current && <EmptyState title="Page not found" />}
      {current && (visible.includes(current) ? <current.Part /> : <FailureState failure={forbidden} />)}
    </div>
  )
}
