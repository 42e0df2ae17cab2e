import type { IncomingMessage } from 'node:http'
import type { Caller } from '#accounts/caller.ts'
import type { ConnectionOf } from '#http/connection.ts'
import { Fault } from '#lib/fault.ts'
import type { SignedIn } from '#sign-in/session.ts'
import type { Sessions } from '#sign-in/sessions.ts'
import { sessionTokenIn } from '../../session-cookie.ts'

type CurrentDeps = { sessions: Pick<Sessions, 'find'>; connectionOf: ConnectionOf }

/** @throws Fault `unauthenticated` for who calls with a key. */
export async function currentSession(
  { sessions, connectionOf }: CurrentDeps,
  { sessionId }: Caller,
  raw: Pick<IncomingMessage, 'headers' | 'socket'>,
): Promise<{ token: string; found: SignedIn; origin: string }> {
  const { origin } = connectionOf(raw)
  const token = sessionId === undefined ? undefined : sessionTokenIn(raw.headers.cookie, origin)
  const found = token === undefined ? undefined : await sessions.find(token)
  if (token === undefined || !found) {
    throw new Fault('unauthenticated', 'There is no session: POST /sessions with a key or a link begins one.')
  }
  return { token, found, origin }
}
