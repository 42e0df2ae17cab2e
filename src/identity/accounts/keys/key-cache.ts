import type { Now } from '#platform/core/clock.ts'
import { createReadCache } from '#platform/db/rows/read-cache.ts'
import type { AllowStale } from '#platform/db/rows/stale-reads.ts'
import type { Signals } from '#platform/db/signals.ts'
import { batchLookups } from '../batch-lookups.ts'
import type { Caller } from '../caller.ts'
import { hashOf, isSecret } from './secret.ts'

/** A key from the database. */
export type StoredKey = { caller: Caller; disabled: boolean; expiresAt: number | null }

/** Reads the keys with these hashes; unknown keys are absent from the result. */
export type ReadKeys = (hashes: string[]) => Promise<Map<string, StoredKey>>

const maxKeys = 100_000

/** The maximum number of cached hashes of secrets. A cached hash saves the computation for each request with the key. */
const maxHashed = 1000

/**
 * Finds callers by key, usually from memory. A change removes a key immediately from the cache of this server, and by a
 * notification within a second on all others. While this server does not receive notifications, an entry is used for less than a
 * second after it was read, or, if the database is unreachable, as long as `allowStale` permits.
 */
export type KeyCache = {
  /** Returns the caller of a secret; undefined for an unknown, disabled or expired key. */
  find: (secret: string) => Promise<Caller | undefined>
  /** Like `find`, but only from memory: also undefined if the key is not cached. */
  findCached: (secret: string) => Caller | undefined
  /** Returns the current caller of the key with this hash; undefined if the key is no longer valid. */
  current: (hash: string) => Promise<Caller | undefined>
  close: () => void
}

type KeyCacheDeps = {
  signals: Signals
  /** The time of day, with which the expiry of keys is compared. */
  now: Now
  /** A monotonic clock for the age of cached entries. */
  steady?: Now
  readKeys: ReadKeys
  allowStale?: AllowStale
}

export function createKeyCache({ signals, now, steady, readKeys, allowStale }: KeyCacheDeps): KeyCache {
  const hashes = new Map<string, string>()
  const keys = createReadCache<StoredKey | undefined>({
    signals,
    steady,
    allowStale,
    topic: 'key.changed',
    allTopic: 'organization.changed',
    read: batchLookups(readKeys),
    isCacheable: (key) => key !== undefined,
    maxEntries: maxKeys,
    // A cached key can have been revoked, so it is refused while that cannot be checked.
    unavailableMessage: 'Keys cannot be checked, because the database is unreachable. Try again shortly.',
  })

  function validCaller(key: StoredKey | undefined): Caller | undefined {
    if (!key || key.disabled) return undefined
    if (key.expiresAt !== null && key.expiresAt <= now()) return undefined
    return key.caller
  }

  const findHash = (secret: string) => hashes.get(secret) ?? (isSecret(secret) ? hashOf(secret) : undefined)

  /** Returns the caller of a key, and caches the hash of its secret. Invalid keys are not cached: clients can send any number of them. */
  function resolveCaller(secret: string, hash: string, key: StoredKey | undefined): Caller | undefined {
    const caller = validCaller(key)
    if (caller && !hashes.has(secret)) {
      if (hashes.size >= maxHashed) hashes.clear()
      hashes.set(secret, hash)
    }
    return caller
  }

  return {
    async find(secret) {
      const hash = findHash(secret)
      return hash === undefined ? undefined : resolveCaller(secret, hash, await keys.get(hash))
    },
    findCached(secret) {
      const hash = findHash(secret)
      return hash === undefined ? undefined : resolveCaller(secret, hash, keys.getCached(hash))
    },
    current: async (hash) => validCaller(await keys.get(hash)),
    close() {
      keys.close()
      hashes.clear()
    },
  }
}
