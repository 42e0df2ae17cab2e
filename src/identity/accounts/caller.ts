import type { Precondition } from '#platform/core/entity-tag.ts'
import type { AccessRole, Interval } from '#platform/core/vocabulary.ts'
import type { StoredShare } from './io-logging.ts'
import type { MemberRole } from './members/role.ts'

/** The purpose of a key. */
export type KeyKind = 'api' | 'management' | 'intern'

/** The caller, according to the key. */
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
  /** Whether the key may use interns although its creator has left. */
  internsGrant: boolean
  /** The spending limit of the key, if it has one. */
  spendLimit: { usd: number; reset: Interval | null; includesByok: boolean } | null
  /** The share of its requests whose contents are stored; undefined: none. */
  keptShare?: StoredShare | undefined
  organizationId: string
  workspaceId: string
  /** Whether the caller reaches only the objects of its workspace, and none of the organization's other workspaces. */
  isWorkspaceScoped: boolean
  /** The role of the member in the workspace. Undefined if the member does not belong to it. */
  role?: MemberRole | undefined
  /** The role of the member in the organization. */
  organizationRole?: MemberRole | undefined
  /** The role of the signed-in member; undefined for a key, whether it is sent or was pasted into the console. */
  access?: AccessRole | undefined
  /** The session of the browser that sends the request, if it is one. */
  sessionId?: string | undefined
  /** The state that the caller expects of what it changes. */
  precondition?: Precondition | undefined
  /** The JSON Web Token that authorized the request, if one did. */
  token?: AcceptedToken | undefined
}

/** When a token expires, in milliseconds, and the caller of the key under which its requests are metered. */
export type AcceptedToken = { expiresAt: number; keyCaller: Caller }

/** The organization, or the part of it, that a caller reaches. */
export type CallerScope = Pick<Caller, 'organizationId' | 'workspaceId' | 'isWorkspaceScoped'>

/** Whether a caller reaches the objects of a workspace of its organization. */
export const reachesWorkspace = (caller: Omit<CallerScope, 'organizationId'>, workspaceId: string): boolean =>
  !caller.isWorkspaceScoped || caller.workspaceId === workspaceId
