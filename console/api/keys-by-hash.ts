import { useState } from 'preact/hooks'
import { addressOf, call } from './client.ts'
import { canListKeys } from './key-access.ts'
import { takePreloadedResponse } from './preloaded-responses.ts'
import { useResource } from './resource.ts'
import { currentSession } from './session.ts'
import type { Generation, Key, Session } from './types.ts'

/** `GET /keys` accepts at most this number of hashes. */
const maxHashes = 100

/** The requested keys by hash; undefined for a key that the session cannot read. */
type KnownKeys = ReadonlyMap<string, Key | undefined>

/** The distinct hashes, at most as many as fit into one request. The next render requests the others. */
const firstDistinct = (hashes: readonly string[]) => [...new Set(hashes)].slice(0, maxHashes)
const inputOf = (hashes: string[]) => ({ query: { hashes: hashes.join() } })

/** The address of the keys of requests; undefined if the session cannot read it. */
export const keysAddress = (session: Session, rows: Pick<Generation, 'key_hash'>[]): string | undefined =>
  canListKeys(session) && rows.length > 0
    ? addressOf('GET /keys', inputOf(firstDistinct(rows.map(({ key_hash }) => key_hash))))
    : undefined

/** The keys that the page contains. */
function preloadedKeys(hashes: readonly string[]): KnownKeys {
  const requested = firstDistinct(hashes)
  const response = takePreloadedResponse(addressOf('GET /keys', inputOf(requested))) as { data: Key[] } | undefined
  return response ? toKnownKeys(requested, response.data) : new Map()
}

/** The keys by hash. A requested hash without a readable key maps to undefined, so that it is not requested again. */
const toKnownKeys = (hashes: string[], keys: Key[]): KnownKeys =>
  new Map([
    ...hashes.map((hash): [string, undefined] => [hash, undefined]),
    ...keys.map((key): [string, Key] => [key.hash, key]),
  ])

/** The keys with these hashes, as far as the session can read them. Each is loaded once. */
export function useKeysByHash(hashes: readonly string[]): ReadonlyMap<string, Key> {
  const session = currentSession()
  const [keys, setKeys] = useState(() => preloadedKeys(hashes))
  const missing = firstDistinct(hashes.filter((hash) => !keys.has(hash)))
  const isEnabled = canListKeys(session) && missing.length > 0
  // The resource itself has no data: each response is added to `keys`, which also has those of earlier requests.
  useResource(isEnabled ? `keys ${missing.join()}` : undefined, async (signal) => {
    const { data } = await call('GET /keys', inputOf(missing), { signal })
    setKeys((previous) => new Map([...previous, ...toKnownKeys(missing, data)]))
  })
  return new Map([...keys].filter((entry): entry is [string, Key] => entry[1] !== undefined))
}

/** The hash of the key with a name, or of the only key that a search finds; undefined if there is none. */
export async function hashOfKey(name: string): Promise<string | undefined> {
  const { data } = await call('GET /keys', { query: { q: name, limit: 100, include_disabled: 'true' } })
  return (data.find((key) => key.name === name) ?? (data.length === 1 ? data[0] : undefined))?.hash
}
