/** What a page begins with depends on who comes: both stand in cookies, so that nothing changes once scripts run. */
export type Visit = {
  /** Whether there is a session, of which the page does not know whether it still holds. */
  hasSession: boolean
  /** The theme that was chosen; undefined where it is as the system has it. */
  theme: 'light' | 'dark' | undefined
}

const session = /(?:^|;)\s*(?:__Host-)?signalbox_session=[^;\s]/
const theme = /(?:^|;)\s*theme=(light|dark)(?:;|$)/

export const visitOf = (cookies = ''): Visit => ({
  hasSession: session.test(cookies),
  theme: theme.exec(cookies)?.[1] as Visit['theme'],
})
