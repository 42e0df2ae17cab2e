import type { IncomingMessage } from 'node:http'
import type { ResolvedSession } from '#identity/sign-in/session.ts'
import type { Sessions } from '#identity/sign-in/sessions.ts'
import { endSession, type NewSession, type SignInDeps } from '#identity/sign-in/sign-in.ts'
import { Fault } from '#platform/core/fault.ts'
import { readSessionToken, sessionCookie } from '../../access/session-cookie.ts'
import { toSessionResponse } from './session.ts'

type NewSessionDeps = Omit<SignInDeps, 'lifetimes'> & { sessions: Pick<Sessions, 'find' | 'lifetimes'> }

/** The response for a new session. Ends the previous session of the browser. */
export async function toNewSessionResponse(
  deps: NewSessionDeps,
  { row, token }: NewSession,
  { headers }: Pick<IncomingMessage, 'headers'>,
  origin: string,
) {
  const session = await deps.sessions.find(token)
  // The sign-in has refused members without a workspace, so the key by which the console uses models is disabled.
  if (!session)
    throw new Fault('forbidden', 'Sign-in is not possible: the key named "Console" of this member is disabled.')
  const previousToken = readSessionToken(headers.cookie, origin)
  if (previousToken !== undefined) await endPrevious(deps, await deps.sessions.find(previousToken))
  const seconds = Math.ceil((row.expires_at - row.created_at) / 1000)
  return { cookie: sessionCookie(origin, token, seconds), data: await toSessionResponse(deps, session, token) }
}

async function endPrevious(deps: NewSessionDeps, previous: ResolvedSession | undefined): Promise<void> {
  const caller = previous?.organization.managementCaller ?? previous?.usageCaller
  if (!previous || !caller) return
  await endSession(deps, caller, previous.row.id, () => true)
}
