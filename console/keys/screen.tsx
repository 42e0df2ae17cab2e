import { ScreenTabs } from '../components/screen-tabs.tsx'
import { AuditLog } from './audit.tsx'
import { Keys } from './keys.tsx'
import { Passkeys } from './passkeys.tsx'
import { People } from './people.tsx'
import { Providers } from './provider-keys.tsx'
import { Sessions } from './sessions.tsx'
import { Workspaces } from './workspaces.tsx'

const parts = [
  { name: '', title: 'Keys', Part: Keys },
  { name: 'people', title: 'People', Part: People, isOfAll: true },
  { name: 'workspaces', title: 'Workspaces', Part: Workspaces, isOfAll: true },
  { name: 'providers', title: 'Provider keys', Part: Providers, isOfAll: true },
  { name: 'sessions', title: 'Sessions', Part: Sessions },
  { name: 'passkeys', title: 'Passkeys', Part: Passkeys },
  { name: 'audit', title: 'Audit log', Part: AuditLog, isOfAll: true },
]

/** Keys, members, workspaces, provider keys, sessions, passkeys and the audit log. */
export const Screen = () => <ScreenTabs screen="keys" title="Keys & people" parts={parts} />
