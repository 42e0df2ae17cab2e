type SystemError = Error & { code?: string }

/** Returns the innermost cause, because `fetch` wraps the error of the connection. */
function rootCause(error: Error): SystemError {
  return error.cause instanceof Error ? rootCause(error.cause) : error
}

/**
 * Explains a failure of a server's certificate or of the proxy, with what to do about it and without a final stop. Undefined
 * for any other failure.
 */
export function explainTlsOrProxyFailure(error: Error, host: string): string | undefined {
  const root = rootCause(error)
  return explainCertificate(root.code ?? '', root.message, host) ?? explainProxy(root)
}

/** Like `explainTlsOrProxyFailure`, but returns the error's message for any other failure. */
export const describeConnectionFailure = (error: Error, host: string): string =>
  explainTlsOrProxyFailure(error, host) ?? (rootCause(error).message || rootCause(error).code || 'connection failed')

const untrustedPattern =
  /SELF_SIGNED_CERT|UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT)|CERT_(UNTRUSTED|SIGNATURE_FAILURE)|INVALID_CA/

/** Whether no trusted CA has issued the certificate of the server. */
export const isUntrustedCertificate = (error: Error): boolean => untrustedPattern.test(rootCause(error).code ?? '')

/** Node ignores a file in another form than PEM without a message. */
function addCaHint(): string {
  const count = process.getBuiltinModule('node:tls').getCACertificates('extra').length
  return `add the CA that issued it, as PEM, to the file that NODE_EXTRA_CA_CERTS names (${count} certificates were read from it), and restart`
}

function explainCertificate(code: string, message: string, host: string): string | undefined {
  const certificate = `the certificate of ${host}`
  if (untrustedPattern.test(code)) return `${certificate} is not trusted (${code}): ${addCaHint()}`
  if (code === 'CERT_HAS_EXPIRED') return `${certificate} has expired (${code}): renew it on that server`
  if (code === 'CERT_NOT_YET_VALID') return `${certificate} is not valid yet (${code}): check the clocks of both hosts`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `${certificate} is for another name (${code}): use the name that it is for, or another certificate`
  if (/^(ERR_SSL_WRONG_VERSION_NUMBER|EPROTO)$/.test(code))
    return `${host} does not speak TLS on this port (${code}): check the scheme and the port`
  // The message of git's TLS library.
  if (/certificate has expired/i.test(message)) return `${certificate} has expired: renew it on that server`
  if (/SSL certificate problem|certificate verif|certificate is not trusted/i.test(message))
    return `${certificate} is not trusted (${message.replace(/^.*SSL certificate problem: /, '').slice(0, 200)}): ${addCaHint()}`
  return undefined
}

function explainProxy({ message, code }: SystemError): string | undefined {
  const status =
    /^Proxy response \((\d+)\)/.exec(message)?.[1] ?? /CONNECT tunnel failed, response (\d+)/.exec(message)?.[1]
  if (status === '407' || /Proxy Authentication Required/.test(message))
    return 'the proxy requires a user and password (407): set them in the URL of HTTPS_PROXY or HTTP_PROXY'
  if (status !== undefined)
    return `the proxy refuses the connection (${status}): allow the host in the proxy, or add it to NO_PROXY`
  return code === 'UND_ERR_PRX_TLS' ? 'the certificate of the proxy is not valid: check HTTPS_PROXY' : undefined
}
