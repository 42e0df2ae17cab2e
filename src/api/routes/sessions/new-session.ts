import type { IncomingMessage } from 'node:http'
import type { ResolvedSession } from '#identity/sign-in/session.ts'
import type { Sessions } from '#identity/sign-in/sessions.ts'
import { endSession, type NewSession, type SignInDeps } from '#identity/sign-in/sign-in.ts'
import { Fault } from '#platform/core/fault.ts'
import { sessionCookie, sessionTokenIn } from '../../access/session-cookie.ts'
import { sessionAnswer } from './session.ts'

type NewSessionDeps = Omit<SignInDeps, 'times'> & { sessions: Pick<Sessions, 'find' | 'times'> }

/** The answer for a new session. Ends the previous session of the browser. */
export async function newSessionAnswer(
  deps: NewSessionDeps,
  { row, token }: NewSession,
  { headers }: Pick<IncomingMessage, 'headers'>,
  origin: string,
) {
  const found = await deps.sessions.find(token)
  if (!found)
    throw new Fault('forbidden', 'Sign-in is not possible: the key named "Console" of this member is disabled.')
  const before = sessionTokenIn(headers.cookie, origin)
  if (before !== undefined) await endEarlier(deps, await deps.sessions.find(before))
  const seconds = Math.ceil((row.expires_at - row.created_at) / 1000)
  return { cookies: sessionCookie(origin, token, seconds), data: await sessionAnswer(deps, found, token) }
}

async function endEarlier(deps: NewSessionDeps, earlier: ResolvedSession | undefined): Promise<void> {
  const caller = earlier?.organization.managementCaller ?? earlier?.usageCaller
  if (!earlier || !caller) return
  await endSession(deps, caller, earlier.row.id, () => true)
}
