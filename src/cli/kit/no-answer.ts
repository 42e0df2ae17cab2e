import { StartupError } from '#platform/core/fault.ts'

/** What was said instead of an answer, by the codes of sockets and TLS. */
export function why(error: Error): string {
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException
  return code === 'ECONNREFUSED' ? 'connection refused' : (code ?? message)
}

/** Why a URL cannot be asked, and what to change. */
export function noAnswer(url: string, error: Error): StartupError {
  const reason = why(error)
  // In the words of OpenSSL: of Node's error the code alone says too little.
  if (/^(EPROTO|ERR_SSL_)/.test(reason)) {
    return new StartupError(
      `What answers at ${url} speaks no TLS (${reason}): set SIGNALBOX_URL to its http:// address.`,
    )
  }
  if (/CERT|SIGNATURE|^ERR_TLS_/.test(reason)) {
    return new StartupError(
      `The certificate at ${url} is not trusted (${reason}): name its authority in NODE_EXTRA_CA_CERTS, or set SIGNALBOX_URL to the name that it is for.`,
    )
  }
  return new StartupError(`Nothing answers at ${url} (${reason}): start the service, or set SIGNALBOX_URL.`)
}

/** A proxy sends on, mostly from http to https. */
export function sentElsewhere(url: string, { origin }: URL): StartupError {
  return new StartupError(`${url} sends on to ${origin}: set SIGNALBOX_URL to the address that answers itself.`)
}
