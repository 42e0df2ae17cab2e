import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import { accountsLock } from '../accounts/accounts-lock.ts'
import type { Caller } from '../accounts/caller.ts'
import { ensureKeyWithoutSecret } from '../accounts/keys/console-key.ts'
import type { KeyOwner } from '../accounts/keys/insert-key.ts'
import type { KeyCache } from '../accounts/keys/key-cache.ts'
import { hashOf } from '../accounts/keys/secret.ts'
import { findTokenOwner, type TokenOwner, type TokenOwnerSettings } from './token-owner.ts'
import type { TokenVerifier, VerifiedToken } from './token-verifier.ts'

/** Finds the guardrail that a JSON Web Token names in its claims, and assigns it to the API key that represents the token. */
export type JwtGuardrails = {
  /** Returns the ID of the guardrail with this ID or name; undefined if the workspace has none. */
  find: (workspaceId: string, name: string) => Promise<string | undefined>
  /** Assigns a guardrail to the caller's key, unless it applies already. @throws Fault `not_found` */
  apply: (caller: Caller, guardrailId: string) => Promise<void>
}

type TokensDeps = {
  db: Db
  now: Now
  newId: NewId
  keys: Pick<KeyCache, 'current'>
  verifier: TokenVerifier
  guardrails: JwtGuardrails
  settings: TokenOwnerSettings
}

/** Authorizes requests with JSON Web Tokens of the configured issuer. */
export type Tokens = {
  /** @throws Fault `unauthenticated`, `forbidden`, or `unavailable` if the issuer's keys cannot be read. */
  find: (token: string) => Promise<Caller>
  /** Returns the current caller of a token; undefined if it has expired or lost its access. */
  current: (caller: Caller) => Promise<Caller | undefined>
  /** Verifies a token, and finds its member and workspace. @throws Fault as `find`. */
  verify: (token: string) => Promise<{ owner: TokenOwner; expiresAt: number }>
}

export function createTokens(deps: TokensDeps): Tokens {
  const { db, now, keys, verifier, guardrails, settings } = deps

  async function verify(token: string) {
    const { claims, expiresAt }: VerifiedToken = await verifier.verify(token)
    return { owner: await findTokenOwner(deps, settings, claims), expiresAt }
  }

  async function ensureKeyCaller(owner: KeyOwner, source: string, name: string): Promise<Caller> {
    const existing = await keys.current(hashOf(source))
    if (existing) return existing
    const hash = await db.exclusively(accountsLock(owner.organizationId), (tx, publish) =>
      ensureKeyWithoutSecret(deps, tx, publish, owner, { source, name }),
    )
    const created = await keys.current(hash)
    if (created) return created
    throw new Fault('unauthenticated', `The key named "${name}" of this member is disabled.`)
  }

  return {
    verify,
    async find(token) {
      const { owner, expiresAt } = await verify(token)
      const guardrailId = await findGuardrailId(guardrails, owner)
      const memberSource = `token:${owner.workspaceId}:${owner.userId}`
      const source = guardrailId ? `${memberSource}:${guardrailId}` : memberSource
      const name = owner.guardrail === undefined ? 'Token' : `Token, guardrail ${owner.guardrail}`.slice(0, maxKeyName)
      const keyCaller = await ensureKeyCaller(owner, source, name)
      const caller = currentCaller({ ...keyCaller, token: { expiresAt, keyCaller } }, keyCaller, now())
      if (!caller) throw new Fault('forbidden', 'The member of this token has no access to its workspace.')
      if (guardrailId !== undefined) await guardrails.apply(caller, guardrailId)
      return caller
    },
    current: async (caller) => currentCaller(caller, await keys.current(caller.keyHash), now()),
  }
}

/** The maximum length of the name of a key, in characters. */
const maxKeyName = 200

async function findGuardrailId(guardrails: JwtGuardrails, { workspaceId, guardrail }: TokenOwner) {
  if (guardrail === undefined) return undefined
  const id = await guardrails.find(workspaceId, guardrail)
  if (id !== undefined) return id
  throw new Fault('forbidden', 'The workspace of this token has no guardrail with the name in its claim.')
}

/** Unlike a key, a token does not outlive the membership of its member. */
function currentCaller(caller: Caller, keyCaller: Caller | undefined, now: number): Caller | undefined {
  const { token } = caller
  if (!token || !keyCaller || now >= token.expiresAt) return undefined
  if (keyCaller.creatorLeft || keyCaller.role === undefined) return undefined
  return keyCaller === token.keyCaller ? caller : { ...keyCaller, token: { ...token, keyCaller } }
}
