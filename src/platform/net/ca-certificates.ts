import { once } from '../async/once.ts'

/** Variables that name a file of trusted CA certificates: of Node, git, OpenSSL and Python, curl, and Python's requests. */
export const caFileVariables = [
  'NODE_EXTRA_CA_CERTS',
  'GIT_SSL_CAINFO',
  'SSL_CERT_FILE',
  'CURL_CA_BUNDLE',
  'REQUESTS_CA_BUNDLE',
] as const

/**
 * The CA certificates that this process trusts, as PEM; undefined unless NODE_EXTRA_CA_CERTS added some. Programs other
 * than Node use such a file instead of the system's CA certificates, so it contains these too.
 */
export const trustedCaCertificates = once((): string | undefined => {
  const { getCACertificates } = process.getBuiltinModule('node:tls')
  const extra = getCACertificates('extra')
  if (extra.length === 0) return undefined
  const system = getCACertificates('system')
  return [...extra, ...(system.length > 0 ? system : getCACertificates('bundled'))].join('\n')
})

/** Makes the programs of an intern trust the CA certificates of a file. */
export const caFileEnvironment = (file: string): Record<string, string> =>
  Object.fromEntries(caFileVariables.map((name) => [name, file]))
