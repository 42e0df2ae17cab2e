import type { Selectable } from 'kysely'
import type { AccessRole } from '#platform/core/vocabulary.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { Caller } from '../accounts/caller.ts'

/** The ways to sign in. */
export const signInMethods = ['key', 'link', 'oidc', 'passkey'] as const
export type SignInMethod = (typeof signInMethods)[number]

export type SessionRow = Selectable<Tables['browser_sessions']>

/** The validity of sessions, in milliseconds. */
export type SessionTimes = {
  /** Without any request. */
  idleMs: number
  /** In total. */
  wholeMs: number
}

/** The role of a session in the organization or in a workspace, and the caller as which it reads and changes settings. */
export type Standing = {
  role: AccessRole
  /** Undefined if the session is not allowed to. */
  manages: Caller | undefined
}

/** A valid session that acts in one workspace. */
export type SignedIn = {
  row: SessionRow
  organization: Standing
  workspace: Standing
  /** The caller as which it uses models and interns. Undefined if its key for that is disabled. */
  uses: Caller | undefined
}

/** The workspace in which a session acts. `isNamed`: the request named it, so it is the only one shown. */
export type View = { keyHash: string; isNamed: boolean }

/** The workspace that a request names by ID or slug: by itself, or only for members without access to all workspaces. */
export type NamedWorkspace = { explicit?: string | undefined; forMembers?: string | undefined }

/** When the session expires without further requests. */
export const idleEndOf = ({ seen_at, expires_at }: SessionRow, { idleMs }: SessionTimes) =>
  Math.min(seen_at + idleMs, expires_at)
