import { isoTime, type Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import type { Publish } from '#platform/db/signals.ts'
import { accountsLock } from '../accounts/accounts-lock.ts'
import type { Caller } from '../accounts/caller.ts'
import { ensureConsoleKey } from '../accounts/keys/console-key.ts'
import type { KeyOwner } from '../accounts/keys/insert-key.ts'
import { recordChange } from '../audit/audit.ts'
import type { SessionLifetimes, SessionRow, SignInMethod } from './session.ts'
import { deleteSessionRow, findSessionRow, insertSessionRow, pruneSignIns } from './session-rows.ts'
import { newSessionToken, tokenHash } from './session-tokens.ts'

export type SignInDeps = { db: Db; now: Now; newId: NewId; lifetimes: SessionLifetimes }

/** The browser's address and user agent, if known. */
export type Browser = { address: string | null; userAgent: string | null }

/** The member who signs in, the method, and the key or passkey that was used. */
type SignInProof = KeyOwner & {
  method: SignInMethod
  key?: Pick<Caller, 'keyHash' | 'keyKind'>
  passkeyId?: string
}

/** A new session. The token is stored only in the browser's cookie. */
export type NewSession = { row: SessionRow; token: string }

const maxUserAgent = 300

/** Signs a member in with a pasted key. */
export async function signInWithKey(deps: SignInDeps, caller: Caller, browser: Browser): Promise<NewSession> {
  if (caller.keyKind === 'intern') throw new Fault('forbidden', 'The key of an intern cannot sign in.')
  if (caller.creatorLeft) {
    throw new Fault('forbidden', 'This key cannot sign in: the member whom it acts for has left the organization.')
  }
  const { organizationId, userId, workspaceId } = caller
  return deps.db.exclusively(accountsLock(organizationId), (tx, publish) =>
    startSession(deps, tx, publish, { organizationId, userId, workspaceId, method: 'key', key: caller }, browser),
  )
}

/** Starts a session with a new id, in the transaction that invalidates the proof. */
export async function startSession(
  deps: SignInDeps,
  tx: Tx,
  publish: Publish,
  { method, key, passkeyId, ...owner }: SignInProof,
  { address, userAgent }: Browser,
): Promise<NewSession> {
  const at = deps.now()
  await pruneSignIns(tx, at, deps.lifetimes)
  const usingKeyHash = key?.keyKind === 'api' ? key.keyHash : await ensureConsoleKey(deps, tx, publish, owner)
  const id = deps.newId()
  const token = newSessionToken(id)
  const row: SessionRow = {
    id,
    token_hash: tokenHash(token),
    organization_id: owner.organizationId,
    user_id: owner.userId,
    method,
    managing_key_hash: key?.keyKind === 'management' ? key.keyHash : null,
    using_key_hash: usingKeyHash,
    address,
    user_agent: userAgent?.slice(0, maxUserAgent) ?? null,
    created_at: at,
    seen_at: at,
    expires_at: at + deps.lifetimes.totalMs,
    passkey_id: passkeyId ?? null,
  }
  await insertSessionRow(tx, row)
  await recordChange(
    deps,
    tx,
    { ...owner, keyHash: key?.keyHash ?? null, sessionId: id },
    { action: 'session.started', targetKind: 'session', targetId: id, before: null, after: auditedSession(row) },
  )
  return { row, token }
}

/** @throws Fault `not_found` if it does not exist or the caller cannot end it. */
export async function endSession(
  deps: Pick<SignInDeps, 'db' | 'now' | 'newId'>,
  caller: Caller,
  id: string,
  canEnd: (row: SessionRow) => boolean,
): Promise<void> {
  await deps.db.exclusively(accountsLock(caller.organizationId), async (tx, publish) => {
    const row = await findSessionRow(tx, id)
    if (!row || row.organization_id !== caller.organizationId || !canEnd(row)) {
      throw new Fault('not_found', 'Session not found.')
    }
    await deleteSessionRow(tx, id)
    const change = { action: 'session.ended', targetKind: 'session', targetId: id } as const
    await recordChange(deps, tx, caller, { ...change, before: auditedSession(row), after: null })
    publish('session.changed', id)
  })
}

function auditedSession({ user_id, method, address, user_agent, created_at, expires_at }: SessionRow) {
  return { user_id, method, address, user_agent, created_at: isoTime(created_at), expires_at: isoTime(expires_at) }
}
