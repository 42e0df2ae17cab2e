import { isIP } from 'node:net'
import type { Config } from '#platform/config/settings.ts'
import { withoutBrackets } from '#platform/net/addresses/host-name.ts'
import { isPublicAddress } from '#platform/net/addresses/public-address.ts'

type Origins = Pick<Config, 'repository_origins'>

/** Whether the setting `repository_origins` lists the origin of a URL. The operator is then responsible for its repositories. */
export function isListedOrigin({ repository_origins: listed }: Origins, url: URL): boolean {
  return listed.some((origin) => new URL(origin).origin === url.origin)
}

/** @returns why interns are not allowed to clone from this URL; undefined if they are. */
export function findForbiddenReason(config: Origins, url: URL): string | undefined {
  const { repository_origins: listed } = config
  if (isListedOrigin(config, url)) return undefined
  const setting = '(setting "repository_origins")'
  if (listed.length > 0) return `the operator allows repositories of ${listed.join(', ')} only ${setting}`
  if (url.protocol !== 'https:') return `it must start with https://, unless the operator names its server ${setting}`
  const host = withoutBrackets(url.hostname)
  if (isIP(host) === 0 || isPublicAddress(host)) return undefined
  return `it is not at a public address, and the operator has not named its server ${setting}`
}
