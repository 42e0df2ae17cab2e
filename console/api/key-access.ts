import type { Session } from './types.ts'

/** Whether the session can list keys. A session of an API key can read only that key. */
export const canListKeys = (session: Pick<Session, 'role' | 'method'> | undefined) =>
  session !== undefined && (session.role !== 'developer' || session.method !== 'key')

/** Whether the session can read all data of the organization. */
export const canSeeAll = (session: Pick<Session, 'role'> | undefined) =>
  session !== undefined && session.role !== 'developer'
