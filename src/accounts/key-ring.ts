import type { Db } from '#db/db.ts'
import type { Now } from '#lib/clock.ts'
import type { Caller, KeyKind } from './caller.ts'
import { hashOf, isSecret } from './secret.ts'

type Entry = { caller: Caller; disabled: boolean; expiresAt: number | null; loadedAt: number }

/** How old what is remembered may be while other servers cannot be heard. */
const unheardTrustMs = 700

const maxRemembered = 100_000

/**
 * Finds who calls, from memory in the steady state. A changed key is forgotten at once here, and by signal within a
 * second on every other server; while signals may be missed, memory is trusted for less than that second.
 */
export type KeyRing = {
  /** The caller a secret stands for; undefined for an unknown, disabled or expired one. */
  find: (secret: string) => Promise<Caller | undefined>
  close: () => void
}

export function createKeyRing(deps: { db: Db; now: Now }): KeyRing {
  const remembered = new Map<string, Entry>()
  /** Counts changes, so that a row read before a change is not remembered after it. */
  let changes = 0
  const forget = (hash: string) => {
    changes++
    remembered.delete(hash)
  }
  const forgetAll = () => {
    changes++
    remembered.clear()
  }
  const unsubscribe = [
    deps.db.signals.subscribe('key.changed', forget),
    deps.db.signals.subscribe('organization.changed', forgetAll),
  ]

  async function load(hash: string): Promise<Entry | undefined> {
    const before = changes
    const entry = await readKey(deps, hash)
    if (entry && before === changes) {
      if (remembered.size >= maxRemembered) remembered.clear()
      remembered.set(hash, entry)
    }
    return entry
  }

  return {
    async find(secret) {
      if (!isSecret(secret)) return undefined
      const hash = hashOf(secret)
      const known = remembered.get(hash)
      const fresh = known && (deps.db.signals.live() || deps.now() - known.loadedAt < unheardTrustMs)
      const entry = fresh ? known : await load(hash)
      if (!entry || entry.disabled) return undefined
      if (entry.expiresAt !== null && entry.expiresAt <= deps.now()) return undefined
      return entry.caller
    },
    close() {
      for (const end of unsubscribe) end()
      forgetAll()
    },
  }
}

async function readKey(deps: { db: Db; now: Now }, hash: string): Promise<Entry | undefined> {
  const loadedAt = deps.now()
  const row = await deps.db.query
    .selectFrom('api_keys as k')
    .leftJoin('memberships as m', (join) =>
      join.onRef('m.organization_id', '=', 'k.organization_id').onRef('m.user_id', '=', 'k.creator_user_id'),
    )
    .where('k.hash', '=', hash)
    .select(['k.hash', 'k.kind', 'k.name', 'k.organization_id', 'k.workspace_id', 'k.creator_user_id'])
    .select(['k.disabled', 'k.expires_at', 'm.joined_at', 'm.left_at'])
    .executeTakeFirst()
  if (!row) return undefined
  return {
    caller: {
      keyHash: row.hash,
      keyKind: row.kind as KeyKind,
      keyName: row.name,
      userId: row.creator_user_id,
      creatorLeft: row.joined_at === null || row.left_at !== null,
      organizationId: row.organization_id,
      workspaceId: row.workspace_id,
    },
    disabled: row.disabled === 1,
    expiresAt: row.expires_at,
    loadedAt,
  }
}
