import type { Signals } from '#db/signals.ts'
import type { Now } from '#lib/clock.ts'
import { inBatches } from './batch.ts'
import type { Caller } from './caller.ts'
import { hashOf, isSecret } from './secret.ts'

/** What the database says of a key. */
export type KnownKey = { caller: Caller; disabled: boolean; expiresAt: number | null }

/** Reads the keys with these hashes; unknown ones are absent from the answer. */
export type ReadKeys = (hashes: string[]) => Promise<Map<string, KnownKey>>

type Remembered = KnownKey & { loadedAt: number }

/** How old what is remembered may be while other servers cannot be heard. */
const unheardTrustMs = 700

const maxRemembered = 100_000

/** How many secrets of keys in use are held in memory, so that a request in a row of many is not hashed again. */
const maxHashed = 1000

/**
 * Finds who calls, from memory in the steady state. A changed key is forgotten at once here, and by signal within a
 * second on every other server; while signals may be missed, memory is trusted for less than that second.
 */
export type KeyRing = {
  /** The caller a secret stands for; undefined for an unknown, disabled or expired one. */
  find: (secret: string) => Promise<Caller | undefined>
  /** The same from memory alone: undefined also for one that has to be read first. */
  known: (secret: string) => Caller | undefined
  close: () => void
}

export function createKeyRing(deps: { signals: Signals; now: Now; readKeys: ReadKeys }): KeyRing {
  const remembered = new Map<string, Remembered>()
  /** What is being read. A change takes the key out, so that what was read before it is not remembered after it. */
  const loading = new Map<string, Promise<KnownKey | undefined>>()
  const hashes = new Map<string, string>()
  const readKey = inBatches(deps.readKeys)

  const forget = (hash: string) => {
    remembered.delete(hash)
    loading.delete(hash)
  }
  const forgetAll = () => {
    remembered.clear()
    loading.clear()
    hashes.clear()
  }
  const unsubscribe = [
    deps.signals.subscribe('key.changed', forget),
    deps.signals.subscribe('organization.changed', forgetAll),
    deps.signals.onMissed(forgetAll),
  ]

  function isTrusted(known: Remembered): boolean {
    return deps.signals.live() || deps.now() - known.loadedAt < unheardTrustMs
  }

  function load(hash: string): Promise<KnownKey | undefined> {
    const underway = loading.get(hash)
    if (underway) return underway
    const loadedAt = deps.now()
    const reading: Promise<KnownKey | undefined> = readKey(hash)
      .then((key) => {
        if (key && loading.get(hash) === reading) remember(hash, { ...key, loadedAt })
        return key
      })
      .finally(() => {
        if (loading.get(hash) === reading) loading.delete(hash)
      })
    loading.set(hash, reading)
    return reading
  }

  function remember(hash: string, key: Remembered): void {
    if (remembered.size >= maxRemembered) remembered.clear()
    remembered.set(hash, key)
  }

  function recall(hash: string): KnownKey | undefined {
    const known = remembered.get(hash)
    return known && isTrusted(known) ? known : undefined
  }

  function callerOf(key: KnownKey | undefined): Caller | undefined {
    if (!key || key.disabled) return undefined
    if (key.expiresAt !== null && key.expiresAt <= deps.now()) return undefined
    return key.caller
  }

  const hashFor = (secret: string) => hashes.get(secret) ?? (isSecret(secret) ? hashOf(secret) : undefined)

  /** Only what opens something is held: anybody may send what does not. */
  function open(secret: string, hash: string, key: KnownKey | undefined): Caller | undefined {
    const caller = callerOf(key)
    if (caller && !hashes.has(secret)) {
      if (hashes.size >= maxHashed) hashes.clear()
      hashes.set(secret, hash)
    }
    return caller
  }

  return {
    async find(secret) {
      const hash = hashFor(secret)
      return hash === undefined ? undefined : open(secret, hash, recall(hash) ?? (await load(hash)))
    },
    known(secret) {
      const hash = hashFor(secret)
      return hash === undefined ? undefined : open(secret, hash, recall(hash))
    },
    close() {
      for (const end of unsubscribe) end()
      forgetAll()
    },
  }
}
