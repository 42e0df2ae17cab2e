import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Tx } from '#platform/db/db.ts'
import type { Publish } from '#platform/db/signals.ts'
import { type Actor, recordChange } from '../../audit/audit.ts'
import { insertKey, type KeyOwner } from './insert-key.ts'
import { keyExists } from './key-rows.ts'
import { hashOf } from './secret.ts'

/** Returns the input of the hash of a member's console key. It is not a valid key, so nobody can send it as one. */
const keySource = ({ userId, workspaceId }: Pick<KeyOwner, 'userId' | 'workspaceId'>) =>
  `console:${workspaceId}:${userId}`

/** The hash of the console key of a member in a workspace, whether or not it was created. */
export const consoleKeyHash = (owner: Pick<KeyOwner, 'userId' | 'workspaceId'>) => hashOf(keySource(owner))

/**
 * Creates the console key of a member in a workspace if it does not exist. Its limits and guardrails apply to a member who is
 * signed in without an API key. Members who manage keys see the console key, and can limit or disable it.
 * @returns its hash.
 */
export const ensureConsoleKey = (deps: { now: Now; newId: NewId }, tx: Tx, publish: Publish, owner: KeyOwner) =>
  ensureKeyWithoutSecret(deps, tx, publish, owner, { source: keySource(owner), name: 'Console' })

type KeyWithoutSecret = {
  /** The text whose hash identifies the key. It must not have the form of a key. */
  source: string
  name: string
}

/** Creates a key that has no secret, so that nobody can send it. Does nothing if the key exists. @returns its hash. */
export async function ensureKeyWithoutSecret(
  deps: { now: Now; newId: NewId },
  tx: Tx,
  publish: Publish,
  owner: KeyOwner,
  { source, name }: KeyWithoutSecret,
): Promise<string> {
  const hash = hashOf(source)
  if (await keyExists(tx, hash)) return hash
  const key = await insertKey(deps, tx, owner, { secret: source, kind: 'api', name })
  const actor: Actor = { ...owner, keyHash: null }
  const change = { action: 'key.created', targetKind: 'key', targetId: hash, before: null, after: key } as const
  await recordChange(deps, tx, actor, change)
  publish('key.changed', hash)
  return hash
}
