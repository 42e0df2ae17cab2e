import type { Selectable } from 'kysely'
import type { AccessRole } from '#platform/core/vocabulary.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { Caller } from '../accounts/caller.ts'

/** How somebody signed in. */
export const signInMethods = ['key', 'link', 'oidc'] as const
export type SignInMethod = (typeof signInMethods)[number]

export type SessionRow = Selectable<Tables['browser_sessions']>

/** How long sessions last, in milliseconds. */
export type SessionTimes = {
  /** Without any request. */
  idleMs: number
  /** In all. */
  wholeMs: number
}

/** A session that is good now, and in whose name its requests are made. */
export type SignedIn = {
  row: SessionRow
  role: AccessRole
  /** As whom it reads and changes the organization's settings; undefined where it may not. */
  manages: Caller | undefined
  /** As whom it uses models and interns; undefined where its key for that is disabled. */
  uses: Caller | undefined
}

/** When the session ends if nothing more comes of it. */
export const idleEndOf = ({ seen_at, expires_at }: SessionRow, { idleMs }: SessionTimes) =>
  Math.min(seen_at + idleMs, expires_at)
