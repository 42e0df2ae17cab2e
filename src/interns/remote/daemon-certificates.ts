import { randomBytes } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import type { Vault } from '#identity/provider-keys/vault.ts'
import { sharePending } from '#platform/async/share-pending.ts'
import { dayMs, hourMs, type Now } from '#platform/core/clock.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import type { IssuedCertificate, LeafSubject } from '#platform/net/certificates.ts'
import type { DaemonTls } from './tls-connection.ts'

type CertificateDeps = { db: Db; vault: Vault; now: Now }

/** The certificate, key and trusted CA certificates of a daemon, as PEM. They must be renewed after `renewAt`. */
export type CertificateFiles = IssuedCertificate & { caCertificates: string; renewAt: number }

const yearMs = 365 * dayMs
/** Certificates are valid from this time before their creation, because clocks of hosts differ. */
const backdateMs = hourMs
const caMs = 10 * yearMs
/** A CA that expires within this time gets a successor. */
const successorMs = yearMs
/**
 * The time until a new CA signs. All hosts trust it by then, because certificates and CAs are renewed twice a
 * day.
 */
const introductionMs = dayMs
const certificateMs = dayMs

/** The name in the certificate of an intern's daemon, independent of its address. */
export const daemonName = (internId: string) => `${internId}.interns.internal`
const serverName = 'server.interns.internal'
/**
 * The name for the files of an intern that does not run. Its host's server has one wildcard certificate for all of them. The word
 * `kept` cannot change, because servers of several versions connect to each other.
 */
export const storageName = (internId: string) => `${internId}${storageSuffix}`
const storageSuffix = '.kept.interns.internal'

/** The name for an intern's log on its host's server. The wildcard certificate of the stored files also covers this name. */
export const logName = (internId: string) => storageName(`${logPrefix}${internId}`)
const logPrefix = 'log-'

/** The intern and the resource that a client requests by a server name: its stored files or its log. Undefined for other names. */
export function parseServerName(name: string): { id: string; resource: 'files' | 'log' } | undefined {
  if (!name.endsWith(storageSuffix)) return undefined
  const label = name.slice(0, -storageSuffix.length)
  return label.startsWith(logPrefix)
    ? { id: label.slice(logPrefix.length), resource: 'log' }
    : { id: label, resource: 'files' }
}

/**
 * Issues the certificates with which servers and daemons on different hosts authenticate each other. The CA is in the
 * database; its key is encrypted with the key of the service.
 */
export class DaemonCertificates {
  readonly #deps: CertificateDeps
  /** The TLS sessions of earlier connections by server name, which shorten later handshakes. */
  readonly #tlsSessions = new Map<string, Buffer>()
  #clientCertificate: { context: DaemonTls['context']; renewAt: number; until: number } | undefined
  readonly #renewOnce = sharePending(() => this.#renewClientCertificate())

  constructor(deps: CertificateDeps) {
    this.#deps = deps
  }

  /** Issues a certificate for the daemon of an intern, valid for a day. */
  forDaemon(internId: string): Promise<CertificateFiles> {
    return this.#issue({ name: daemonName(internId), as: 'server' })
  }

  /** Issues a certificate for a server that serves interns of its host that do not run, valid for a day. */
  forStorage(): Promise<CertificateFiles> {
    return this.#issue({ name: storageName('*'), as: 'server' })
  }

  /** The TLS options of this server for a connection to an intern. @param servername the expected name in its certificate. */
  async forServer(internId: string, servername = daemonName(internId)): Promise<DaemonTls> {
    const now = this.#deps.now()
    if (!this.#clientCertificate || now >= this.#clientCertificate.renewAt) {
      // If the database is unavailable, the current certificate is used until it expires.
      await this.#renewOnce().catch((error: unknown) => {
        if (!this.#clientCertificate || now >= this.#clientCertificate.until) throw error
      })
    }
    return { context: this.#clientCertificate!.context, servername, sessions: this.#tlsSessions }
  }

  async #renewClientCertificate(): Promise<void> {
    const { certificate, key, caCertificates, renewAt } = await this.#issue({ name: serverName, as: 'client' })
    const context = createSecureContext({ cert: certificate, key, ca: caCertificates, minVersion: 'TLSv1.3' })
    this.#tlsSessions.clear()
    this.#clientCertificate = { context, renewAt, until: renewAt + certificateMs / 2 }
  }

  async #issue(leaf: LeafSubject): Promise<CertificateFiles> {
    const now = this.#deps.now()
    const { signer, trusted } = await this.#loadCas()
    const { issueCertificate } = await import('#platform/net/certificates.ts')
    const period = { from: now - backdateMs, until: now + certificateMs }
    const issuedCertificate = await issueCertificate(signer, leaf, period)
    return { ...issuedCertificate, caCertificates: trusted.join(''), renewAt: now + certificateMs / 2 }
  }

  /** All valid CAs, and the one that signs now: the latest that all hosts trust. */
  async #loadCas(): Promise<{ signer: IssuedCertificate & { name: string }; trusted: string[] }> {
    const { db, vault, now } = this.#deps
    let rows = await this.#rows(db.query)
    if (!rows.some((row) => row.expires_at > now() + successorMs)) rows = await this.#createSuccessor()
    const introducedRows = rows.filter((row) => row.created_at <= now() - introductionMs)
    // Until a CA has been introduced, as after the installation, the oldest CA signs.
    const { name, certificate, key_sealed } = introducedRows.at(-1) ?? rows[0]!
    const key = vault.open(key_sealed, encryptionContext(name))
    return { signer: { name, certificate, key }, trusted: rows.map((row) => row.certificate) }
  }

  /** The valid CAs, the oldest first, without those of servers with another encryption key. */
  #rows(query: Db['query'] | Tx) {
    const { vault, now } = this.#deps
    return query
      .selectFrom('intern_authorities')
      .where('sealed_by', '=', vault.keyName)
      .where('expires_at', '>', now())
      .orderBy('created_at')
      .orderBy('name')
      .selectAll()
      .execute()
  }

  /** Creates a CA, unless another server has done so. @returns all valid CAs. */
  #createSuccessor() {
    const { db, vault, now } = this.#deps
    return db.exclusively('intern authorities', async (tx) => {
      const rows = await this.#rows(tx)
      if (rows.some((row) => row.expires_at > now() + successorMs)) return rows
      const { createCa } = await import('#platform/net/certificates.ts')
      const name = `Signalbox interns ${randomBytes(8).toString('hex')}`
      const created_at = now()
      const expires_at = created_at + caMs
      const { certificate, key } = await createCa(name, { from: created_at - backdateMs, until: expires_at })
      const row = {
        name,
        certificate,
        created_at,
        expires_at,
        key_sealed: vault.seal(key, encryptionContext(name)),
        sealed_by: vault.keyName,
      }
      await tx.insertInto('intern_authorities').values(row).execute()
      await tx.deleteFrom('intern_authorities').where('expires_at', '<=', now()).execute()
      return [...rows, row]
    })
  }
}

const encryptionContext = (name: string) => `intern authority ${name}`
