import { explainTlsOrProxyFailure, isUntrustedCertificate } from '../../core/connection-failure.ts'
import { readOnlyCode } from '../maintenance/failures.ts'

/** Advice by error codes of Postgres. */
const adviceByCode: Readonly<Record<string, string>> = {
  '3D000': 'Create it first, for example with createdb, or correct its name in DATABASE_URL.',
  '28P01': 'Correct the user or the password in DATABASE_URL.',
  '53300': 'Raise this limit in Postgres, or lower DATABASE_POOL_SIZE of all servers.',
  '28000': 'Correct the user in DATABASE_URL, or create it first, for example with createuser.',
}

/** The end of Postgres's message for a connection without TLS that `pg_hba.conf` refuses. Its code is that of a wrong user. */
const needsTls = /no encryption$/
const tlsAdvice = 'It requires TLS: add sslmode=verify-full to DATABASE_URL.'

/** The driver's messages. */
const lacksTls = /server does not support SSL/
const lacksPassword = /client password must be a string/

/** An error of the driver or of the system. Errors of Postgres itself have a severity. */
type OpeningError = Error & { code?: string; severity?: string; hostname?: string; path?: string; address?: string }

/** Explains in a sentence or two why the database could not be opened: the server refused, or did not respond. */
export function describeOpeningError(error: OpeningError): string {
  const { code = '', severity, message, hostname } = error
  const subject = 'The database named by DATABASE_URL'
  // The server is a standby, or accepts no writes (`NotPrimary` in `connection.ts`).
  if (code === readOnlyCode)
    return `${subject} cannot be used: ${message} Name the primary, or all servers separated by commas.`
  if (severity !== undefined) {
    const hint = needsTls.test(message) ? tlsAdvice : adviceByCode[code]
    return [`${subject} cannot be used: ${message}.`, hint].filter(Boolean).join(' ')
  }
  if (code === 'ENOTFOUND') return `${subject} cannot be reached: the host "${hostname}" was not found.`
  if (code === 'ECONNREFUSED')
    return `${subject} cannot be reached: nothing listens there (${message || 'connection refused'}).`
  const reason = describeDriverError(error) ?? explainTlsOrProxyFailure(error, 'its server')
  return `${subject} cannot be reached: ${reason ?? (message || 'connection refused')}.`
}

/** Explains an error that the URL causes before Postgres answers. Undefined for any other error. */
function describeDriverError(error: OpeningError): string | undefined {
  const { code = '', message, path, address } = error
  if (lacksPassword.test(message)) return 'its server requires a password, and DATABASE_URL has none'
  if (lacksTls.test(message))
    return 'its server does not support TLS. Enable it there, or set sslmode=disable in DATABASE_URL'
  if (path !== undefined) return `the file "${path}" in DATABASE_URL cannot be read (${code})`
  if (address !== undefined && code === 'ENOENT') return `there is no socket "${address}"`
  // The driver does not use NODE_EXTRA_CA_CERTS if the URL has `sslrootcert`.
  if (isUntrustedCertificate(error))
    return `the certificate of its server is not trusted (${code}): name the PEM file of the CA that issued it as sslrootcert in DATABASE_URL or, without sslrootcert, in NODE_EXTRA_CA_CERTS`
  return undefined
}
