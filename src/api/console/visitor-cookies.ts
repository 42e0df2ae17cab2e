import { type AccessRole, accessRoles } from '#platform/core/vocabulary.ts'

/** The state in cookies that the first HTML depends on, so that it does not change when scripts run. */
export type VisitorSettings = {
  /** Whether there is a session cookie. The session may have expired. */
  hasSession: boolean
  /** The selected theme; undefined for the system's theme. */
  theme: 'light' | 'dark' | undefined
  /** The role of the last session, which limits the navigation. */
  role: AccessRole | undefined
}

const role = new RegExp(`(?:^|;)\\s*role=(${accessRoles.join('|')})(?:;|$)`)
const session = /(?:^|;)\s*(?:__Host-)?signalbox_session=[^;\s]/
const theme = /(?:^|;)\s*theme=(light|dark)(?:;|$)/

export const visitorSettings = (cookies = ''): VisitorSettings => ({
  hasSession: session.test(cookies),
  theme: theme.exec(cookies)?.[1] as VisitorSettings['theme'],
  role: role.exec(cookies)?.[1] as VisitorSettings['role'],
})
