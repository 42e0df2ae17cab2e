import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import type { DaemonTls } from '#interns/remote/tls-connection.ts'
import { createCa, type IssuedCertificate, issueCertificate, type LeafSubject } from '#platform/net/certificates.ts'

const hour = 3_600_000

/** A CA for a test, and its certificates. */
export async function createTestCa(name = 'CA of the tests') {
  const period = { from: Date.now() - hour, until: Date.now() + 24 * hour }
  const ca = { name, ...(await createCa(name, period)) }
  const issue = (leaf: LeafSubject, until = period.until) =>
    issueCertificate(ca, leaf, { from: period.from - 24 * hour, until })
  return { certificate: ca.certificate, issue }
}

/** The certificate that a server presents, and the CA that it trusts. */
export function daemonTls(
  servername: string,
  caCertificates: string,
  clientCertificate?: IssuedCertificate,
): DaemonTls {
  const own = clientCertificate && { cert: clientCertificate.certificate, key: clientCertificate.key }
  return { context: createSecureContext({ ...own, ca: caCertificates }), servername, sessions: new Map() }
}

/** The three files of a daemon's TCP listener. */
export function certificateFiles(caCertificates: string, issued: IssuedCertificate) {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-certificates-'))
  const tls = {
    certificate: join(folder, 'certificate.pem'),
    key: join(folder, 'key.pem'),
    authorities: join(folder, 'authorities.pem'),
  }
  const write = (next: IssuedCertificate, trusted = caCertificates) => {
    writeFileSync(tls.key, next.key, { mode: 0o600 })
    writeFileSync(tls.certificate, next.certificate)
    writeFileSync(tls.authorities, trusted)
  }
  write(issued)
  return { tls, write, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}
