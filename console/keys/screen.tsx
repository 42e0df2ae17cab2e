import '../components/lazy-chunk.ts'
import { useRoute } from 'preact-iso/router'
import { canSeeAll } from '../api/key-access.ts'
import { ScreenTabs } from '../components/page/screen-tabs.tsx'
import { AuditLog } from './audit/audit.tsx'
import { Budgets } from './budgets/budgets.tsx'
import { KeyPage } from './keys/key-page.tsx'
import { Keys } from './keys/keys.tsx'
import { People } from './members/people.tsx'
import { canReadOrganization } from './permissions.ts'
import { ProviderKeys } from './provider-keys/provider-keys.tsx'
import { Passkeys } from './sign-in/passkeys.tsx'
import { Sessions } from './sign-in/sessions.tsx'
import { WorkspaceMembers } from './workspaces/workspace-members.tsx'
import { Workspaces } from './workspaces/workspaces.tsx'

const tabs = [
  { name: '', title: 'Keys', Content: Keys },
  { name: 'people', title: 'Members', Content: People, isOffered: canReadOrganization },
  { name: 'members', title: 'Workspace members', Content: WorkspaceMembers, isOffered: canSeeAll },
  { name: 'workspaces', title: 'Workspaces', Content: Workspaces, isOffered: canSeeAll },
  { name: 'budgets', title: 'Budgets', Content: Budgets, isOffered: canSeeAll },
  { name: 'providers', title: 'Provider keys', Content: ProviderKeys, isOffered: canSeeAll },
  { name: 'sessions', title: 'Browser sessions', Content: Sessions },
  { name: 'passkeys', title: 'Passkeys', Content: Passkeys },
  { name: 'audit', title: 'Audit log', Content: AuditLog, isOffered: canSeeAll },
]

/** Keys, members, workspaces, budgets, provider keys, sessions, passkeys and the audit log. */
export function Screen() {
  const isKey = useRoute().params.rest?.startsWith('key/')
  return isKey ? <KeyPage /> : <ScreenTabs screen="keys" title="Keys & members" tabs={tabs} />
}
