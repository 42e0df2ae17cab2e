import type { Session } from './types.ts'

/** Whether the session can list keys. A session of an API key can read only that key. */
export const canListKeys = (me: Pick<Session, 'role' | 'method'> | undefined) =>
  me !== undefined && (me.role !== 'developer' || me.method !== 'key')

/** Whether the session can read all data of the organization. */
export const canSeeAll = (me: Pick<Session, 'role'> | undefined) => me !== undefined && me.role !== 'developer'
