import type { Session } from './types.ts'

/** Whether the session can list keys. A developer who signed in with an API key can read only that key. */
export const canListKeys = (session: Pick<Session, 'role' | 'method'> | undefined) =>
  session !== undefined && (session.role !== 'developer' || session.method !== 'key')

/** Whether the session can read the data of all members. Developers can read only their own. */
export const canSeeAll = (session: Pick<Session, 'role'> | undefined) =>
  session !== undefined && session.role !== 'developer'
