import { isIP } from 'node:net'
import { siteUrl } from '#platform/config/public-url.ts'
import type { Config } from '#platform/config/settings.ts'
import { Fault } from '#platform/core/fault.ts'
import { withoutBrackets } from '#platform/net/addresses/host-name.ts'

/** The identity of this service for authenticators: a passkey is bound to the host name, a signature to the origin. */
export type RelyingParty = { id: string; origin: string }

type PublicUrl = Pick<Config, 'public_url'>

/**
 * Returns the relying party for a console at this origin. Undefined if passkeys do not work at it: an IP address, an
 * origin without TLS (except localhost), or an origin other than that of `public_url`.
 */
export function findRelyingParty(config: PublicUrl, origin: string): RelyingParty | undefined {
  const site = new URL(siteUrl(config, origin))
  const { protocol, hostname } = site
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  const isAddress = isIP(withoutBrackets(hostname)) !== 0
  if (site.origin !== origin || isAddress || (protocol !== 'https:' && !isLocal)) return undefined
  return { id: hostname, origin }
}

/** @throws Fault `conflict` if passkeys do not work at this origin. */
export function requireRelyingParty(config: PublicUrl, origin: string): RelyingParty {
  const relyingParty = findRelyingParty(config, origin)
  if (relyingParty) return relyingParty
  const consoleLocation = config.public_url ?? 'a host name with TLS, or at localhost'
  throw new Fault('conflict', `Passkeys do not work at ${origin}. Open the console at ${consoleLocation}.`)
}
