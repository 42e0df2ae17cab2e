import { useState } from 'preact/hooks'
import { call } from './client.ts'
import { canListKeys } from './key-access.ts'
import { useResource } from './resource.ts'
import { useSession } from './session.ts'
import type { Key } from './types.ts'

const maxHashes = 100

/** The keys with these hashes, as far as the session can read them. Each is loaded once. */
export function useKeysByHash(hashes: readonly string[]): ReadonlyMap<string, Key> {
  const me = useSession()
  const [known, setKnown] = useState<ReadonlyMap<string, Key | undefined>>(new Map())
  const missing = [...new Set(hashes)].filter((hash) => !known.has(hash)).slice(0, maxHashes)
  const isOn = canListKeys(me) && missing.length > 0
  useResource(isOn ? `keys ${missing.join()}` : undefined, async (signal) => {
    const { data } = await call('GET /keys', { query: { hashes: missing.join() } }, { signal })
    const loaded = new Map<string, Key | undefined>(missing.map((hash) => [hash, undefined]))
    for (const key of data) loaded.set(key.hash, key)
    setKnown((before) => new Map([...before, ...loaded]))
  })
  return new Map([...known].filter((entry): entry is [string, Key] => entry[1] !== undefined))
}

/** The hash of the key with a name; undefined if there is none. */
export async function hashOfKey(name: string): Promise<string | undefined> {
  const { data } = await call('GET /keys', { query: { q: name, limit: 100, include_disabled: 'true' } })
  return (data.find((key) => key.name === name) ?? (data.length === 1 ? data[0] : undefined))?.hash
}
