import type { IncomingMessage } from 'node:http'
import type { Caller } from '#identity/accounts/caller.ts'
import type { ResolvedSession } from '#identity/sign-in/session.ts'
import type { Sessions } from '#identity/sign-in/sessions.ts'
import { Fault } from '#platform/core/fault.ts'
import type { ConnectionOf } from '#platform/http/connection.ts'
import { workspaceInHeader } from '../../access/admit.ts'
import { readSessionToken } from '../../access/session-cookie.ts'

type CurrentDeps = { sessions: Pick<Sessions, 'find'>; connectionOf: ConnectionOf }

/** Finds the session of the calling browser. @throws Fault `unauthenticated` for callers with a key. */
export async function currentSession(
  { sessions, connectionOf }: CurrentDeps,
  { sessionId }: Caller,
  raw: Pick<IncomingMessage, 'headers' | 'socket'>,
): Promise<{ token: string; session: ResolvedSession; origin: string }> {
  const { origin } = connectionOf(raw)
  const inHeader = workspaceInHeader(raw.headers)
  const token = sessionId === undefined ? undefined : readSessionToken(raw.headers.cookie, origin)
  const found = token === undefined ? undefined : await sessions.find(token, { inHeader })
  if (token === undefined || !found) {
    throw new Fault('unauthenticated', 'No session. Start one with POST /sessions and a key or a link.')
  }
  return { token, session: found, origin }
}
