import { type AccessRole, accessRoles } from '#platform/core/vocabulary.ts'

/** What a page begins with depends on who comes: both stand in cookies, so that nothing changes once scripts run. */
export type Visit = {
  /** Whether there is a session, of which the page does not know whether it still holds. */
  hasSession: boolean
  /** The theme that was chosen; undefined where it is as the system has it. */
  theme: 'light' | 'dark' | undefined
  /** What who sat here last may, which the console has put down: the page offers no more than that. */
  role: AccessRole | undefined
}

const role = new RegExp(`(?:^|;)\\s*role=(${accessRoles.join('|')})(?:;|$)`)
const session = /(?:^|;)\s*(?:__Host-)?signalbox_session=[^;\s]/
const theme = /(?:^|;)\s*theme=(light|dark)(?:;|$)/

export const visitOf = (cookies = ''): Visit => ({
  hasSession: session.test(cookies),
  theme: theme.exec(cookies)?.[1] as Visit['theme'],
  role: role.exec(cookies)?.[1] as Visit['role'],
})
