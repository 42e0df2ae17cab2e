import type { JWTVerifyGetKey } from 'jose'
import type { Now } from '#platform/core/clock.ts'
import { describeConnectionFailure } from '#platform/core/connection-failure.ts'
import { Fault } from '#platform/core/fault.ts'
import { lazyModules } from '#platform/process/lazy-modules.ts'
import { limitIssuerResponses } from '../issuer-fetch.ts'

export type IssuerKeySettings = { jwt_issuer: string; jwt_jwks_url?: string | undefined }

type IssuerKeysDeps = {
  now: Now
  fetch: typeof globalThis.fetch
  onError: (error: Error) => void
  /** The shortest time between two reads for unknown key IDs. */
  rereadMs?: number
}

const timeoutMs = 5_000
/** The time after a failed request to the issuer before the next one. */
const retryDelayMs = 5_000

/** How long keys are cached. An unknown key ID causes an earlier read. */
const cacheMs = 10 * 60_000
const defaultRereadMs = 30_000

/** Smaller steps of the system time are ignored. */
const clockJitterMs = 1_000

/** The maximum age of cached keys that are used while the issuer is unreachable. */
const staleMs = 60 * 60_000

/** The public keys of the issuer, cached. */
type IssuerKeys = {
  /** @throws Fault `unavailable` if they cannot be read; an error of `jose` if none matches the token. */
  find: JWTVerifyGetKey
}

type KeyStore = {
  find: JWTVerifyGetKey
  findStaleKeys: () => JWTVerifyGetKey | undefined
  /** Whether the system time was set back since the keys were read. `jose` would then cache them for too long. */
  isFromFuture: () => boolean
}

export function createIssuerKeys(settings: IssuerKeySettings, deps: IssuerKeysDeps): IssuerKeys {
  const { now, onError, rereadMs = defaultRereadMs } = deps
  const fetch = limitIssuerResponses(deps.fetch)
  let store: KeyStore | undefined
  let failure: { fault: Fault; at: number } | undefined

  function recordFailure(error: Error): Fault {
    const fault = new Fault(
      'unavailable',
      'Tokens cannot be checked: the keys of the issuer are unreachable. Try again.',
    )
    onError(
      new Error(
        `the keys of ${settings.jwt_issuer} cannot be read: ${describeConnectionFailure(error, settings.jwt_issuer)}`,
        {
          cause: error,
        },
      ),
    )
    failure = { fault, at: now() }
    return fault
  }

  async function discoverKeyStore(): Promise<KeyStore> {
    const address = settings.jwt_jwks_url ?? (await discoverJwksUrl(settings.jwt_issuer, fetch))
    return openKeyStore(address, fetch, rereadMs)
  }

  return {
    async find(header, token) {
      const { JWKSNoMatchingKey, JWKSMultipleMatchingKeys } = lazyModules.jose().errors
      if (store?.isFromFuture()) store = undefined
      const stale = store?.findStaleKeys()
      if (failure && isWithin(retryDelayMs, failure.at, now())) {
        if (!stale) throw failure.fault
        return stale(header, token)
      }
      try {
        store ??= await discoverKeyStore()
        return await store.find(header, token)
      } catch (error) {
        if (error instanceof JWKSNoMatchingKey || error instanceof JWKSMultipleMatchingKeys) throw error
        const fault = recordFailure(error as Error)
        if (stale) return stale(header, token)
        throw fault
      }
    },
  }
}

/** Whether `now` is within `ms` after an instant. If the system time was set back, it is not. */
const isWithin = (ms: number, instant: number, now: number) => now >= instant && now - instant < ms

function openKeyStore(address: string, fetch: typeof globalThis.fetch, cooldownDuration: number): KeyStore {
  const { createLocalJWKSet, createRemoteJWKSet, customFetch, jwksCache } = lazyModules.jose()
  // `jose` fills the cache: `uat` is the time at which it read the keys, by `Date.now()`.
  const cache: { jwks?: Parameters<typeof createLocalJWKSet>[0]; uat?: number } = {}
  const find = createRemoteJWKSet(new URL(address), {
    timeoutDuration: timeoutMs,
    cooldownDuration,
    cacheMaxAge: cacheMs,
    [customFetch]: fetch,
    // The type of `jose` is either a filled cache or an empty object.
    [jwksCache]: cache as Record<string, never>,
  })
  return {
    find: (header, token) => find(header, token),
    findStaleKeys: () =>
      cache.jwks && Date.now() - (cache.uat ?? 0) < staleMs ? createLocalJWKSet(cache.jwks) : undefined,
    isFromFuture: () => (cache.uat ?? 0) > Date.now() + clockJitterMs,
  }
}

/** Returns `jwks_uri` of the issuer's metadata. */
async function discoverJwksUrl(issuer: string, fetch: typeof globalThis.fetch): Promise<string> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const response = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) })
  if (!response.ok) throw new Error(`${address} returned the status ${response.status}`)
  const description = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown }
  if (description.issuer !== issuer)
    throw new Error(`${address} names another issuer; jwt_issuer must be exactly its name`)
  const { jwks_uri } = description
  if (typeof jwks_uri !== 'string' || !isSecure(jwks_uri, issuer))
    throw new Error(`${address} has no jwks_uri with TLS`)
  return jwks_uri
}

/** Requires TLS, except for keys at the origin of an issuer without TLS, which is on this host. */
function isSecure(address: string, issuer: string): boolean {
  const url = URL.parse(address)
  return url?.protocol === 'https:' || (url !== null && url.origin === new URL(issuer).origin)
}
