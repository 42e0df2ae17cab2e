/** The servers named by a Postgres URL, each as a URL of one server, in the order in which they are tried. */
type DatabaseServers = {
  urls: string[]
  /** Only a server that accepts writes is used (`target_session_attrs=read-write` or `primary`). */
  requiresWritable: boolean
}

/** Supported values of `target_session_attrs`. All others select a standby, which rejects writes. */
const supportedSessionAttributes = new Set(['any', 'read-write', 'primary'])

/** The driver reads any other `sslmode` as `verify-full`. */
const sslModes = new Set(['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'])

/** The required form of the URL. */
export const databaseUrlForm =
  'must be an address such as postgres://user:password@host:5432/database; in a password "/", "#", "?" and "%" are written %2F, %23, %3F and %25'

const urlPattern = /^(?<prefix>postgres(?:ql)?:\/\/(?:[^/]*@)?)(?<hosts>[^/?#]*)(?<path>[^?#]*)(?:\?(?<query>[^#]*))?$/

/**
 * Parses a URL in the form of libpq, which can have several hosts with ports, separated by commas. The driver supports only
 * one host.
 * @throws Error that says what is not supported, and what to write instead. The caller puts the name of the setting in front.
 */
export function parseDatabaseUrl(text: string): DatabaseServers {
  const parts = urlPattern.exec(text)?.groups
  if (!parts) throw new Error(databaseUrlForm)
  const parameters = (parts.query ?? '').split('&').filter((parameter) => parameter !== '')
  const readParameter = (name: string) =>
    parameters.find((parameter) => parameter.startsWith(`${name}=`))?.slice(name.length + 1)
  const sessionAttributes = readParameter('target_session_attrs')
  if (sessionAttributes !== undefined && !supportedSessionAttributes.has(sessionAttributes)) {
    throw new Error(
      `must not have target_session_attrs=${sessionAttributes}: the service writes, so use read-write, primary or any`,
    )
  }
  const sslMode = readParameter('sslmode')
  if (sslMode !== undefined && !sslModes.has(sslMode)) {
    throw new Error(`must not have sslmode=${sslMode}: use ${[...sslModes].join(', ')}`)
  }
  for (const name of ['host', 'hostaddr', 'port']) {
    if (!readParameter(name)?.includes(',')) continue
    throw new Error(`must name several servers as postgres://user@one:5432,two:5432/database, not in "${name}="`)
  }
  const hosts = parts.hosts!.split(',')
  if (hosts.length > 1 && hosts.includes('')) throw new Error('must not have an empty host between commas')
  const driverQuery = parameters.filter((parameter) => !parameter.startsWith('target_session_attrs=')).join('&')
  const urls = hosts.map((host) => `${parts.prefix}${host}${parts.path}${driverQuery && `?${driverQuery}`}`)
  return { urls, requiresWritable: sessionAttributes === 'read-write' || sessionAttributes === 'primary' }
}
