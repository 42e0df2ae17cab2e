import { UserFacingError } from '#platform/core/fault.ts'

/** The reason of a failed request: the error code of the socket or of TLS. */
export function networkReason(error: Error): string {
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException
  return code === 'ECONNREFUSED' ? 'connection refused' : (code ?? message)
}

/** The error for a service that is unreachable, with what to change. */
export function connectionError(url: string, error: Error): UserFacingError {
  const reason = networkReason(error)
  if (/^(EPROTO|ERR_SSL_)/.test(reason)) {
    return new UserFacingError(
      `The server at ${url} does not use TLS (${reason}): set SIGNALBOX_URL to its http:// address.`,
    )
  }
  if (/CERT|SIGNATURE|^ERR_TLS_/.test(reason)) {
    return new UserFacingError(
      `The certificate of ${url} is not trusted (${reason}): add its CA to NODE_EXTRA_CA_CERTS, or set SIGNALBOX_URL to the host name of the certificate.`,
    )
  }
  return new UserFacingError(`Cannot connect to ${url} (${reason}): start the service, or set SIGNALBOX_URL.`)
}

/** The error for a redirect, usually of a proxy from http to https. */
export function redirectError(url: string, { origin }: URL): UserFacingError {
  return new UserFacingError(`${url} redirects to ${origin}: set SIGNALBOX_URL to the address without a redirect.`)
}
