import type { ComponentType } from 'preact'
import type { Session } from './api/types.ts'

type Screen = {
  /** The first part of its path, and its folder here. */
  name: string
  title: string
  /** Additional search words for the command palette. */
  words?: string
  /**
   * The first API request of the screen without filters. The page contains its answer without its headers, so its route has no
   * entity tag.
   */
  firstRequest?: string
  /** The roles that see it in the navigation; all by default. The screen itself reports missing permission. */
  roles?: Session['role'][]
  /** Whether `roles` means the role in the organization, not in the workspace. */
  isOrganizationRole?: boolean
  /** Whether it shows one workspace, also where others show all workspaces together. */
  isSingleWorkspace?: boolean
  load: () => Promise<{ Screen: ComponentType }>
}

/** Viewers cannot use models. */
const modelRoles: Session['role'][] = ['owner', 'admin', 'developer']
/** Developers can read only their own data, not rules and settings of all. */
const readingRoles: Session['role'][] = ['owner', 'admin', 'viewer']

/** All screens, in the order of the navigation. A screen is one folder with a `screen.tsx`, and a line here. */
export const screens: Screen[] = [
  {
    name: 'requests',
    title: 'Requests',
    words: 'log generations errors cost',
    firstRequest: '/api/v1/generations?limit=50',
    load: () => import('./requests/screen.tsx'),
  },
  {
    name: 'overview',
    title: 'Overview',
    words: 'spend cost errors latency budgets analytics health',
    load: () => import('./overview/screen.tsx'),
  },
  {
    name: 'models',
    title: 'Models',
    words: 'catalogue prices endpoints providers compare',
    load: () => import('./models/screen.tsx'),
  },
  {
    name: 'chat',
    title: 'Chat',
    words: 'compare ask try playground',
    roles: modelRoles,
    isSingleWorkspace: true,
    load: () => import('./chat/screen.tsx'),
  },
  {
    name: 'interns',
    title: 'Interns',
    words: 'agents questions inbox permissions sessions',
    isSingleWorkspace: true,
    load: () => import('./interns/screen.tsx'),
  },
  {
    name: 'guardrails',
    title: 'Guardrails',
    words: 'policy limits budgets filters replay',
    roles: readingRoles,
    load: () => import('./guardrails/screen.tsx'),
  },
  {
    name: 'keys',
    title: 'Keys & members',
    words: 'members roles budgets access sessions passkeys audit byok provider secrets limits',
    load: async () => ({ Screen: (await import('./management-screens.ts')).keys }),
  },
  {
    name: 'presets',
    title: 'Presets',
    words: 'versions prompts configuration',
    isSingleWorkspace: true,
    load: () => import('./presets/screen.tsx'),
  },
  {
    name: 'service',
    title: 'Service',
    words: 'first run set up providers credentials catalogue sources reload settings configuration',
    roles: readingRoles,
    isOrganizationRole: true,
    load: async () => ({ Screen: (await import('./management-screens.ts')).service }),
  },
]

/** The screens in the navigation of a session, or of a role of an earlier one; all screens while that is unknown. */
export function screensFor(session: Pick<Session, 'role' | 'organization_role'> | string | undefined): Screen[] {
  if (session === undefined) return screens
  const [workspaceRole, organizationRole] =
    typeof session === 'string' ? [session, session] : [session.role, session.organization_role]
  return screens.filter(
    ({ roles, isOrganizationRole }: { roles?: readonly string[]; isOrganizationRole?: boolean }) =>
      roles === undefined || roles.includes(isOrganizationRole ? organizationRole : workspaceRole),
  )
}
