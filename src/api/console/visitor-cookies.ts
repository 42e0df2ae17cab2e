import { type AccessRole, accessRoles } from '#platform/core/vocabulary.ts'

/** The state in cookies that the first HTML depends on, so that it does not change when scripts run. */
export type VisitorSettings = {
  /** Whether there is a session cookie. The session may have expired. */
  hasSession: boolean
  /** The selected theme; undefined for the system's theme. */
  theme: 'light' | 'dark' | undefined
  /** The role of the last session, which limits the navigation. */
  role: AccessRole | undefined
  /** The window, in CSS pixels scaled to the default text size, and the time zone; undefined if the browser has not sent them. */
  window: { width: number; height: number; timeZone: string } | undefined
}

const rolePattern = new RegExp(`(?:^|;)\\s*role=(${accessRoles.join('|')})(?:;|$)`)
const sessionPattern = /(?:^|;)\s*(?:__Host-)?signalbox_session=[^;\s]/
const windowPattern = /(?:^|;)\s*window=(\d{1,5})x(\d{1,5})@([\w+/-]{1,64})(?:;|$)/
const themePattern = /(?:^|;)\s*theme=(light|dark)(?:;|$)/

export const readVisitorSettings = (cookies = ''): VisitorSettings => ({
  hasSession: sessionPattern.test(cookies),
  theme: themePattern.exec(cookies)?.[1] as VisitorSettings['theme'],
  role: rolePattern.exec(cookies)?.[1] as VisitorSettings['role'],
  window: toWindow(windowPattern.exec(cookies)),
})

function toWindow(match: RegExpExecArray | null): VisitorSettings['window'] {
  const [, width, height, timeZone] = match ?? []
  if (timeZone === undefined || !isTimeZone(timeZone)) return undefined
  return { width: Number(width), height: Number(height), timeZone }
}

function isTimeZone(name: string): boolean {
  try {
    // Throws a RangeError for an unknown time zone.
    Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
