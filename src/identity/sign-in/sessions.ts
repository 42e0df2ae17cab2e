import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import { createReadCache } from '#platform/db/rows/read-cache.ts'
import type { AllowStale } from '#platform/db/rows/stale-reads.ts'
import type { Caller } from '../accounts/caller.ts'
import { consoleKeyHash } from '../accounts/keys/console-key.ts'
import type { KeyCache } from '../accounts/keys/key-cache.ts'
import { reachesAllWorkspaces } from '../accounts/members/role.ts'
import {
  idleEndOf,
  type NamedWorkspace,
  type SessionRow,
  type SessionTimes,
  type SignedIn,
  type View,
} from './session.ts'
import { findSessionRow, touchSessionRow } from './session-rows.ts'
import { consoleKeyIn, withoutWorkspace, workspaceOf } from './session-workspace.ts'
import { actsAsPastedKey, signedInAs } from './signed-in.ts'
import { isSameSecret, sessionIdIn, tokenHash } from './token.ts'

/** The interval of updating the last use of a session. */
const touchEveryMs = 60_000

/**
 * Finds sessions, usually from memory. As with keys, an ended session is removed immediately from the cache of this server,
 * and by a notification within a second on all others. A session also ends with its key and its membership.
 */
export type Sessions = {
  /**
   * The session of a cookie. Undefined if it is unknown or has ended, or if its member belongs to no workspace.
   * @param named the workspace that the request names.
   * @throws Fault `forbidden` if the request explicitly names a workspace that the member has no access to.
   */
  find: (token: string, named?: NamedWorkspace) => Promise<SignedIn | undefined>
  /** Explains why `find` returned no session: it has ended, or its member belongs to no workspace any more. */
  refusalOf: (token: string) => Promise<Fault>
  /** Returns the current state of a caller; undefined if its session has ended. */
  current: (caller: CurrentCaller) => Promise<Caller | undefined>
  times: SessionTimes
  close: () => void
}

type CurrentCaller = Pick<Caller, 'sessionId' | 'keyKind' | 'userId' | 'workspaceId' | 'isWorkspaceScoped'>

type SessionsDeps = {
  db: Db
  now: Now
  newId: NewId
  keys: Pick<KeyCache, 'current'>
  times: SessionTimes
  allowStale?: AllowStale
  /** Called if the last use of a session could not be updated. */
  onError: (error: Error) => void
}

export function createSessions(deps: SessionsDeps): Sessions {
  const { db, now, keys, times, allowStale, onError } = deps
  const rows = createReadCache<SessionRow | undefined>({
    signals: db.signals,
    allowStale,
    topic: 'session.changed',
    read: (id) => findSessionRow(db.query, id),
    isCacheable: (row) => row !== undefined,
    unavailableMessage: 'Sessions cannot be checked, because the database is unreachable. Try again shortly.',
  })
  const signedIn = signedInAs(keys)
  const touching = new Set<string>()

  function touch({ id }: SessionRow): void {
    if (touching.has(id)) return
    touching.add(id)
    db.exclusively(`session ${id}`, async (tx, announce) => {
      await touchSessionRow(tx, id, now())
      announce('session.changed', id)
    })
      .catch(onError)
      .finally(() => touching.delete(id))
  }

  async function goodRow(id: string): Promise<SessionRow | undefined> {
    const row = await rows.get(id)
    return row && now() < idleEndOf(row, times) ? row : undefined
  }

  /** The workspace of a request: the one that it names, that of the session, or the first of the member. */
  async function viewOf(row: SessionRow, { explicit, forMembers }: NamedWorkspace): Promise<View> {
    const own = { keyHash: row.using_key_hash, isNamed: false }
    const using = await keys.current(row.using_key_hash)
    if (actsAsPastedKey(row)) {
      if (explicit !== undefined && (await workspaceOf(db.query, memberOf(row), explicit)) !== using?.workspaceId)
        throw noWorkspace(explicit)
      return own
    }
    const isManager = row.managing_key_hash !== null || reachesAllWorkspaces(using?.organizationRole)
    const name = isManager ? explicit : (forMembers ?? explicit)
    const named = name === undefined ? undefined : await keyInWorkspace(row, name)
    if (named !== undefined) return { keyHash: named, isNamed: true }
    // Otherwise a write would change another workspace than the client named.
    if (name !== undefined && name === explicit) throw noWorkspace(name)
    if (using?.role !== undefined || isManager) return own
    const first = await keyInWorkspace(row)
    return first === undefined ? own : { keyHash: first, isNamed: false }
  }

  /**
   * The console key in the named workspace, or in the first of the member. From memory if the workspace is named by its ID
   * and the key exists; one query if it is named by its slug.
   */
  async function keyInWorkspace(row: SessionRow, name?: string): Promise<string | undefined> {
    const byId = name === undefined ? undefined : await existingKey(row, name)
    if (byId !== undefined) return byId
    const workspaceId = await workspaceOf(db.query, memberOf(row), name)
    if (workspaceId === undefined) return undefined
    return (await existingKey(row, workspaceId)) ?? consoleKeyIn(deps, memberOf(row), workspaceId)
  }

  /** The console key of the member in a workspace, if it exists and the member has access to the workspace. */
  async function existingKey({ user_id: userId }: SessionRow, workspaceId: string): Promise<string | undefined> {
    const hash = consoleKeyHash({ userId, workspaceId })
    return (await keys.current(hash))?.role === undefined ? undefined : hash
  }

  /** The valid session of a token, also if its member has lost all workspaces. */
  async function rowOf(token: string): Promise<SessionRow | undefined> {
    const id = sessionIdIn(token)
    const row = id === undefined ? undefined : await goodRow(id)
    return row && isSameSecret(row.token_hash, tokenHash(token)) ? row : undefined
  }

  return {
    times,
    async find(token, named) {
      const row = await rowOf(token)
      if (!row) return undefined
      const found = await signedIn(row, await viewOf(row, named ?? {}))
      if (found && now() - row.seen_at >= touchEveryMs) touch(row)
      return found
    },
    async refusalOf(token) {
      const row = await rowOf(token)
      const member = row && !actsAsPastedKey(row) ? await keys.current(row.using_key_hash) : undefined
      if (row && member && member.organizationRole !== undefined && !member.creatorLeft && member.role === undefined)
        return withoutWorkspace(db.query, row.organization_id)
      return new Fault('unauthenticated', 'This session has ended or does not exist. Sign in again.')
    },
    async current({ sessionId, keyKind, userId, workspaceId, isWorkspaceScoped = false }) {
      const row = sessionId === undefined ? undefined : await goodRow(sessionId)
      if (!row) return undefined
      const keyHash = actsAsPastedKey(row) ? row.using_key_hash : consoleKeyHash({ userId, workspaceId })
      const found = await signedIn(row, { keyHash, isNamed: keyKind === 'management' && isWorkspaceScoped })
      return keyKind === 'management' ? found?.workspace.manages : found?.uses
    },
    close: rows.close,
  }
}

const noWorkspace = (name: string) =>
  new Fault(
    'forbidden',
    `X-Workspace: you have no access to a workspace "${name.slice(0, 100)}". GET /workspaces lists yours.`,
    { metadata: { reason: 'no_access_to_workspace' } },
  )

const memberOf = ({ organization_id, user_id }: SessionRow) => ({ organizationId: organization_id, userId: user_id })
