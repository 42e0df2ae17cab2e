import { isIP } from 'node:net'
import { siteUrl } from '#platform/config/public-url.ts'
import type { Config } from '#platform/config/settings.ts'
import { Fault } from '#platform/core/fault.ts'

/** This service as authenticators know it: a passkey is bound to the host name, a signature to the origin. */
export type RelyingParty = { id: string; origin: string }

type PublicUrl = Pick<Config, 'public_url'>

/**
 * The relying party for a console at this origin. Undefined where browsers have no passkeys: at an IP address, without
 * TLS except on localhost, and at another origin than that of `public_url`.
 */
export function relyingPartyAt(config: PublicUrl, origin: string): RelyingParty | undefined {
  const site = new URL(siteUrl(config, origin))
  const { protocol, hostname } = site
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
  if (site.origin !== origin || isAddress || (protocol !== 'https:' && !isLocal)) return undefined
  return { id: hostname, origin }
}

/** @throws Fault `conflict` where browsers have no passkeys. */
export function requireRelyingParty(config: PublicUrl, origin: string): RelyingParty {
  const found = relyingPartyAt(config, origin)
  if (found) return found
  const place = config.public_url ?? 'a host name with TLS, or at localhost'
  throw new Fault('conflict', `Passkeys do not work at ${origin}. Open the console at ${place}.`)
}
