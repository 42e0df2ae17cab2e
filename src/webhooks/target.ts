import { isIP } from 'node:net'
import type { Config } from '#platform/config/settings.ts'
import { withoutBrackets } from '#platform/net/addresses/host-name.ts'
import { isPublicAddress, resolvePublicAddresses } from '#platform/net/addresses/public-address.ts'
import { canSendMail, type MailSettings } from '#platform/net/mail.ts'
import { findRecipient } from './webhook-email.ts'

type Origins = Pick<Config, 'webhook_origins'> & MailSettings

const originsSetting = 'webhook_origins'

const isAllowedByOperator = ({ webhook_origins: origins }: Origins, url: URL) =>
  origins.some((origin) => new URL(origin).origin === url.origin)

/** Returns why the URL of a webhook is forbidden; undefined if it is allowed. Does not resolve the host. */
export function forbiddenReason(config: Origins, text: string): string | undefined {
  const url = URL.parse(text)
  if (!url) return 'is not a URL, such as https://hooks.example.com/signalbox'
  if (url.protocol === 'mailto:') return mailProblem(config, text)
  if (url.username || url.password) return 'must not contain a user or password; the signature identifies the sender'
  if (url.hash) return 'must not have a fragment'
  if (isAllowedByOperator(config, url)) return undefined
  if (url.protocol !== 'https:')
    return `must begin with https://, unless the operator names its server (setting "${originsSetting}")`
  const host = withoutBrackets(url.hostname)
  if (isIP(host) === 0 || isPublicAddress(host)) return undefined
  return `is not at a public address, and the operator has not named its server (setting "${originsSetting}")`
}

function mailProblem(config: Origins, text: string): string | undefined {
  if (findRecipient(text) === undefined) return 'must have one email address, such as mailto:team@example.com'
  return canSendMail(config) ? undefined : 'needs a mail server, which the operator has not set (setting "smtp_url")'
}

/**
 * Resolves and checks the addresses of a receiver. Requests must use the returned addresses, because a second lookup
 * can give others. Undefined if the operator allows the server: then any address is accepted.
 * @throws Error with the reason why the target is refused.
 */
export async function resolveReceiver(
  config: Origins,
  url: URL,
  options: { isProxied: boolean } = { isProxied: false },
): Promise<string[] | undefined> {
  const reason = forbiddenReason(config, url.href)
  if (reason) throw new Error(`the URL ${reason}`)
  return isAllowedByOperator(config, url) ? undefined : resolvePublicAddresses(url.hostname, originsSetting, options)
}
