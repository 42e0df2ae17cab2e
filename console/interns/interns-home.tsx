import type { ComponentType } from 'preact'
import { Failure } from '../api/failure.ts'
import { currentSession } from '../api/session.ts'
import type { Session } from '../api/types.ts'
import { Heading } from '../components/page/heading.tsx'
import { EmptyState, FailureState, Loading } from '../components/page/page-states.tsx'
import { Hosts } from './hosts/hosts.tsx'
import { InternsOverview } from './list/interns-overview.tsx'
import { WorkspaceRules } from './rules/workspace-rules.tsx'
import { type Tab, Tabs, useCurrentTab } from './tabs.tsx'
import { Webhooks } from './webhooks/webhooks.tsx'

/** A tab. `roles` are the roles that see it; all by default. */
type HomeTab = Tab & { Content: ComponentType; roles?: Session['role'][] }

const tabs: HomeTab[] = [
  { name: '', title: 'Interns', Content: InternsOverview },
  { name: 'rules', title: 'Workspace rules', Content: WorkspaceRules, roles: ['owner', 'admin', 'viewer'] },
  { name: 'hosts', title: 'Hosts', Content: Hosts },
  { name: 'webhooks', title: 'Webhooks', Content: Webhooks, roles: ['owner', 'admin'] },
]

const forbidden = new Failure(403, 'Your role in this workspace does not include this page.')

/** The tabs of the workspace: interns with open questions, rules, hosts and webhooks. */
export function InternsHome() {
  const currentName = useCurrentTab()
  const role = currentSession()?.role
  if (role === undefined) return <Loading />
  const visibleTabs = tabs.filter(({ roles }) => !roles || roles.includes(role))

  const current = tabs.find(({ name }) => name === currentName)
  return (
    <div class="page interns-page">
      <header>
        <Heading pageName={current?.title}>Interns</Heading>
        {visibleTabs.length > 1 && <Tabs tabs={visibleTabs} />}
      </header>
      {!current && <EmptyState title="Page not found" />}
      {current && (visibleTabs.includes(current) ? <current.Content /> : <FailureState failure={forbidden} />)}
    </div>
  )
}
