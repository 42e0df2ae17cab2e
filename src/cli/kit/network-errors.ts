import { UserFacingError } from '#platform/core/fault.ts'

/** Returns the reason of a failed request: a short phrase, the error code of the socket or of TLS, or the message of the error. */
export function networkReason(error: Error): string {
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException
  return plainReasons[code ?? ''] ?? code ?? message
}

const errorCode = (error: Error) => ((error.cause ?? error) as NodeJS.ErrnoException).code ?? ''

const plainReasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed',
  ENOTFOUND: 'unknown host name',
  UND_ERR_SOCKET: 'connection closed',
}

/** The codes of a connection that the server closed. */
const closedCodes = ['ECONNRESET', 'UND_ERR_SOCKET']

/** The error for a service that is unreachable, with what to change. */
export function connectionError(url: string, error: Error): UserFacingError {
  const reason = networkReason(error)
  const code = errorCode(error)
  if (/^(EPROTO|ERR_SSL_)/.test(code)) {
    return new UserFacingError(
      `The server at ${url} does not use TLS (${reason}): set SIGNALBOX_URL to its http:// address.`,
    )
  }
  if (/CERT|SIGNATURE|^ERR_TLS_/.test(code)) {
    return new UserFacingError(
      `The certificate of ${url} is not trusted (${reason}): add its CA to NODE_EXTRA_CA_CERTS, or set SIGNALBOX_URL to the host name of the certificate.`,
    )
  }
  if (closedCodes.includes(code)) {
    const advice = url.startsWith('http:') ? ' If it uses TLS, set SIGNALBOX_URL to its https:// address.' : ''
    return new UserFacingError(`The server at ${url} closed the connection without a response.${advice}`)
  }
  return new UserFacingError(`Cannot connect to ${url} (${reason}): start the service, or set SIGNALBOX_URL.`)
}

/** The error for a response that is not from the service, such as that of a proxy before it. */
export function notSignalboxError(url: string, status: number): UserFacingError {
  const advice = status >= 500 ? 'check that the service is running, and that' : 'check that'
  return new UserFacingError(
    `The response from ${url} (status ${status}) is not from Signalbox: ${advice} SIGNALBOX_URL is the base URL of the service.`,
  )
}

/** The error for a redirect, usually of a proxy from http to https. */
export function redirectError(url: string, { origin }: URL): UserFacingError {
  return new UserFacingError(`${url} redirects to ${origin}: set SIGNALBOX_URL to the address without a redirect.`)
}
