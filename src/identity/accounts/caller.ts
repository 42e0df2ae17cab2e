import type { Precondition } from '#platform/core/entity-tag.ts'
import type { AccessRole, Interval } from '#platform/core/vocabulary.ts'
import type { StoredShare } from './io-logging.ts'
import type { MemberRole } from './role.ts'

/** The purpose of a key. */
export type KeyKind = 'api' | 'management' | 'intern'

/** The caller of a request: its key, member, organization and workspace. */
export type Caller = {
  keyHash: string
  keyKind: KeyKind
  keyName: string
  /** The key's creator, on whose behalf it acts. */
  userId: string
  /** Whether the creator has left the organization. */
  creatorLeft: boolean
  /** Whether the organization is in the interns programme. */
  internsProgramme: boolean
  /** Whether the key can use interns although its creator has left. */
  internsGrant: boolean
  /** The spending limit of the key, if it has one. */
  spendLimit: { usd: number; reset: Interval | null; includesByok: boolean } | null
  /** The share of the key's requests whose contents are stored; undefined for none. */
  storedShare?: StoredShare | undefined
  organizationId: string
  workspaceId: string
  /** Whether the caller has access only to its workspace, and not to the organization's other workspaces. */
  isWorkspaceScoped: boolean
  /** The role of the member in the workspace. Undefined if the member does not belong to it. */
  role?: MemberRole | undefined
  /** The role of the member in the organization. */
  organizationRole?: MemberRole | undefined
  /** The role of a signed-in member; undefined for a key, even if it was pasted into the console. */
  access?: AccessRole | undefined
  /** The browser session of the request, if it has one. */
  sessionId?: string | undefined
  /** The state of the object that the caller expects before its change. */
  precondition?: Precondition | undefined
  /** The JSON Web Token that authorized the request, if one did. */
  token?: AcceptedToken | undefined
}

type AcceptedToken = {
  /** In milliseconds since the epoch. */
  expiresAt: number
  /** The caller of the key under which requests with this token are metered. */
  keyCaller: Caller
}

/** The organization or workspace to whose objects a caller has access. */
export type CallerScope = Pick<Caller, 'organizationId' | 'workspaceId' | 'isWorkspaceScoped'>

/** Whether a caller has access to the objects of a workspace of its organization. */
export const reachesWorkspace = (caller: Omit<CallerScope, 'organizationId'>, workspaceId: string): boolean =>
  !caller.isWorkspaceScoped || caller.workspaceId === workspaceId
