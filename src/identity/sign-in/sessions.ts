import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import { createReadCache, type ReadCache } from '#platform/db/rows/read-cache.ts'
import type { AllowStale } from '#platform/db/rows/stale-reads.ts'
import type { Caller } from '../accounts/caller.ts'
import { consoleKeyHash } from '../accounts/keys/console-key.ts'
import type { KeyCache } from '../accounts/keys/key-cache.ts'
import { reachesAllWorkspaces } from '../accounts/role.ts'
import {
  expiryOfSession,
  type RequestedWorkspace,
  type ResolvedSession,
  type SessionLifetimes,
  type SessionRow,
  type SessionView,
} from './session.ts'
import { actsAsPastedKey, createSessionResolver } from './session-resolver.ts'
import { findSessionRow, touchSessionRow } from './session-rows.ts'
import { isSameSecret, sessionIdOf, tokenHash } from './session-tokens.ts'
import { ensureConsoleKeyInWorkspace, findWorkspaceId, noWorkspaceFault } from './session-workspace.ts'

/** The interval of updating the last use of a session. */
const touchEveryMs = 60_000

type CurrentCaller = Pick<Caller, 'sessionId' | 'keyKind' | 'userId' | 'workspaceId' | 'isWorkspaceScoped'>

type SessionsDeps = {
  db: Db
  now: Now
  newId: NewId
  keys: Pick<KeyCache, 'current'>
  lifetimes: SessionLifetimes
  allowStale?: AllowStale
  /** Called if the last use of a session could not be updated. */
  onError: (error: Error) => void
}

/**
 * Finds sessions, usually in memory. An ended session, like a deleted key, is removed from the cache of this server immediately, and
 * from those of all others by a notification within a second. A session also ends with its key and its membership.
 */
export class Sessions {
  readonly lifetimes: SessionLifetimes
  readonly #deps: SessionsDeps
  readonly #rows: ReadCache<SessionRow | undefined>
  readonly #resolve: ReturnType<typeof createSessionResolver>
  readonly #pendingTouches = new Set<string>()

  constructor(deps: SessionsDeps) {
    const { db, keys, lifetimes, allowStale } = deps
    this.lifetimes = lifetimes
    this.#deps = deps
    this.#resolve = createSessionResolver(keys)
    this.#rows = createReadCache<SessionRow | undefined>({
      signals: db.signals,
      allowStale,
      topic: 'session.changed',
      read: (id) => findSessionRow(db.query, id),
      isCacheable: (row) => row !== undefined,
      unavailableMessage: 'Sessions cannot be checked, because the database is unreachable. Try again shortly.',
    })
  }

  /**
   * Returns the session of a cookie. Undefined if it is unknown or has ended, or if its member belongs to no workspace.
   * @throws Fault `forbidden` if the header of the request names a workspace that the member has no access to.
   */
  async find(token: string, requested: RequestedWorkspace = {}): Promise<ResolvedSession | undefined> {
    const row = await this.#findRow(token)
    if (!row) return undefined
    const session = await this.#resolve(row, await this.#chooseView(row, requested))
    if (session && this.#deps.now() - row.seen_at >= touchEveryMs) this.#touch(row)
    return session
  }

  /** Explains why `find` returned no session: it has ended, or its member belongs to no workspace any more. */
  async explainMissing(token: string): Promise<Fault> {
    const { db, keys } = this.#deps
    const row = await this.#findRow(token)
    const member = row && !actsAsPastedKey(row) ? await keys.current(row.using_key_hash) : undefined
    const isCurrentMember = member !== undefined && member.organizationRole !== undefined && !member.creatorLeft
    if (row && isCurrentMember && member.role === undefined) return noWorkspaceFault(db.query, row.organization_id)
    return new Fault('unauthenticated', 'This session has ended or does not exist. Sign in again.')
  }

  /** Returns the current state of a caller; undefined if its session has ended. */
  async current(caller: CurrentCaller): Promise<Caller | undefined> {
    const { sessionId, keyKind, userId, workspaceId, isWorkspaceScoped } = caller
    const row = sessionId === undefined ? undefined : await this.#readValidRow(sessionId)
    if (!row) return undefined
    const keyHash = actsAsPastedKey(row) ? row.using_key_hash : consoleKeyHash({ userId, workspaceId })
    const session = await this.#resolve(row, { keyHash, isRequested: keyKind === 'management' && isWorkspaceScoped })
    return keyKind === 'management' ? session?.workspace.managementCaller : session?.usageCaller
  }

  close(): void {
    this.#rows.close()
  }

  #touch({ id }: SessionRow): void {
    const { db, now, onError } = this.#deps
    if (this.#pendingTouches.has(id)) return
    this.#pendingTouches.add(id)
    db.exclusively(`session ${id}`, async (tx, publish) => {
      await touchSessionRow(tx, id, now())
      publish('session.changed', id)
    })
      .catch(onError)
      .finally(() => this.#pendingTouches.delete(id))
  }

  async #readValidRow(id: string): Promise<SessionRow | undefined> {
    const row = await this.#rows.get(id)
    return row && this.#deps.now() < expiryOfSession(row, this.lifetimes) ? row : undefined
  }

  /** Returns the valid session of a token, even if its member has lost all workspaces. */
  async #findRow(token: string): Promise<SessionRow | undefined> {
    const id = sessionIdOf(token)
    const row = id === undefined ? undefined : await this.#readValidRow(id)
    return row && isSameSecret(row.token_hash, tokenHash(token)) ? row : undefined
  }

  /** Returns the workspace that the request names, or else that of the session, or else the first of the member. */
  async #chooseView(row: SessionRow, { inHeader, inPathOrQuery }: RequestedWorkspace): Promise<SessionView> {
    const sessionView = { keyHash: row.using_key_hash, isRequested: false }
    const usageKeyCaller = await this.#deps.keys.current(row.using_key_hash)
    if (actsAsPastedKey(row)) {
      await this.#requireWorkspaceOfKey(row, inHeader, usageKeyCaller)
      return sessionView
    }
    const isManager = row.managing_key_hash !== null || reachesAllWorkspaces(usageKeyCaller?.organizationRole)
    const name = isManager ? inHeader : (inPathOrQuery ?? inHeader)
    const requestedKeyHash = name === undefined ? undefined : await this.#findOrCreateConsoleKey(row, name)
    if (requestedKeyHash !== undefined) return { keyHash: requestedKeyHash, isRequested: true }
    // Falling back to another workspace would change objects that the client did not name. The route itself reports a wrong name
    // in its path or query.
    if (name !== undefined && name === inHeader) throw noAccessFault(name)
    if (usageKeyCaller?.role !== undefined || isManager) return sessionView
    const firstKeyHash = await this.#findOrCreateConsoleKey(row)
    return firstKeyHash === undefined ? sessionView : { keyHash: firstKeyHash, isRequested: false }
  }

  /** @throws Fault `forbidden` if the header names another workspace than that of the pasted key. */
  async #requireWorkspaceOfKey(row: SessionRow, inHeader: string | undefined, key: Caller | undefined): Promise<void> {
    if (inHeader === undefined) return
    const workspaceId = await findWorkspaceId(this.#deps.db.query, memberOf(row), inHeader)
    if (workspaceId !== key?.workspaceId) throw noAccessFault(inHeader)
  }

  /**
   * Returns the console key in the named workspace, or in the member's first workspace. Needs no query if the workspace is
   * named by its ID and the key is cached.
   */
  async #findOrCreateConsoleKey(row: SessionRow, name?: string): Promise<string | undefined> {
    const byId = name === undefined ? undefined : await this.#findConsoleKey(row, name)
    if (byId !== undefined) return byId
    const workspaceId = await findWorkspaceId(this.#deps.db.query, memberOf(row), name)
    if (workspaceId === undefined) return undefined
    const existing = await this.#findConsoleKey(row, workspaceId)
    return existing ?? ensureConsoleKeyInWorkspace(this.#deps, memberOf(row), workspaceId)
  }

  /** Returns the member's console key in a workspace, if the key exists and the member has access. */
  async #findConsoleKey({ user_id: userId }: SessionRow, workspaceId: string): Promise<string | undefined> {
    const hash = consoleKeyHash({ userId, workspaceId })
    return (await this.#deps.keys.current(hash))?.role === undefined ? undefined : hash
  }
}

const noAccessFault = (name: string) =>
  new Fault(
    'forbidden',
    `X-Workspace: you have no access to a workspace "${name.slice(0, 100)}". GET /workspaces lists yours.`,
    { metadata: { reason: 'no_access_to_workspace' } },
  )

const memberOf = ({ organization_id, user_id }: SessionRow) => ({ organizationId: organization_id, userId: user_id })
