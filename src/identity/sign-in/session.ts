import type { Selectable } from 'kysely'
import type { AccessRole } from '#platform/core/vocabulary.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { Caller } from '../accounts/caller.ts'

/** The ways to sign in. */
export const signInMethods = ['key', 'link', 'oidc', 'passkey'] as const
export type SignInMethod = (typeof signInMethods)[number]

export type SessionRow = Selectable<Tables['browser_sessions']>

/** The validity of sessions, in milliseconds. */
export type SessionLifetimes = {
  /** The validity without any request. */
  idleMs: number
  /** The validity in total. */
  totalMs: number
}

/** The role of a session in the organization or in a workspace. */
export type ScopedRole = {
  role: AccessRole
  /** The caller of management requests; undefined if the session cannot send any. */
  managementCaller: Caller | undefined
}

/** A valid session that acts in one workspace. */
export type ResolvedSession = {
  row: SessionRow
  workspaceId: string
  organization: ScopedRole
  workspace: ScopedRole
  /** The caller of requests to models and interns; undefined if the key for them is disabled. */
  usageCaller: Caller | undefined
}

/** The workspace in which a session acts. */
export type SessionView = {
  /** The key of the member in this workspace. */
  keyHash: string
  /** Whether the request names the workspace, so that the caller reaches only this one. */
  isRequested: boolean
}

/**
 * The workspaces that a request names by ID or slug: in the header `X-Workspace`, and in its path or query. For members without
 * access to all workspaces, path and query take precedence. For others only the header counts, because their path and query can
 * also name a deleted workspace.
 */
export type RequestedWorkspace = { inHeader?: string | undefined; inPathOrQuery?: string | undefined }

/** Returns the time at which the session expires without further requests. */
export const expiryOfSession = ({ seen_at, expires_at }: SessionRow, { idleMs }: SessionLifetimes) =>
  Math.min(seen_at + idleMs, expires_at)
