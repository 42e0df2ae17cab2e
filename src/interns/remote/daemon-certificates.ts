import { randomBytes } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import type { Vault } from '#identity/provider-keys/vault.ts'
import type { Now } from '#platform/core/clock.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import type { Holder, Issued } from '#platform/net/certificates.ts'
import type { DaemonTls } from './tls-connection.ts'

type CertificateDeps = { db: Db; vault: Vault; now: Now }

/** What a daemon shows to servers on other hosts, and by whom it knows servers, as PEM. After `renewAt` it is to have others. */
export type CertificateFiles = Issued & { authorities: string; renewAt: number }

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const yearMs = 365 * dayMs
/** Clocks of hosts differ: a certificate holds from a little before it is made. */
const earlierMs = hourMs
const authorityMs = 10 * yearMs
/** An authority that ends within this time gets a successor. */
const successorMs = yearMs
/** Long enough for everybody to have heard of a new authority: certificates are renewed twice a day, and with them whom to trust. */
const introductionMs = dayMs
const certificateMs = dayMs

/** By which name the certificate of an intern's daemon is known: whatever its address is. */
export const daemonName = (internId: string) => `${internId}.interns.internal`
const serverName = 'server.interns.internal'
/** Of what is kept of an intern that does not run: its host's server answers for it, by one certificate for all. */
export const keptName = (internId: string) => `${internId}${keptSuffix}`
const keptSuffix = '.kept.interns.internal'

/** Of its log, which its host's server has whether it runs or not; the same certificate is good for it. */
export const logName = (internId: string) => keptName(`${logPrefix}${internId}`)
const logPrefix = 'log-'

/** Whose it is that a client wants by that name, and what of it; undefined where it is none. */
export function wantedByName(name: string): { id: string; what: 'kept' | 'log' } | undefined {
  if (!name.endsWith(keptSuffix)) return undefined
  const of = name.slice(0, -keptSuffix.length)
  return of.startsWith(logPrefix) ? { id: of.slice(logPrefix.length), what: 'log' } : { id: of, what: 'kept' }
}

/**
 * Makes the certificates by which servers and daemons on different hosts know each other. Who vouches for them stands in
 * the database; its key is encrypted, so that only servers with the service's own key issue any.
 */
export class DaemonCertificates {
  readonly #deps: CertificateDeps
  readonly #sessions = new Map<string, Buffer>()
  #own: { context: DaemonTls['context']; renewAt: number; until: number } | undefined
  #making: Promise<void> | undefined

  constructor(deps: CertificateDeps) {
    this.#deps = deps
  }

  /** A certificate for the daemon of an intern, for a day. */
  forDaemon(internId: string): Promise<CertificateFiles> {
    return this.#issue({ name: daemonName(internId), as: 'server' })
  }

  /** A certificate for a server that answers for interns of its host that do not run, for a day. */
  forKept(): Promise<CertificateFiles> {
    return this.#issue({ name: keptName('*'), as: 'server' })
  }

  /** What this server shows the daemon of an intern, and whom it expects there: by `servername`, unless told the daemon. */
  async forServer(internId: string, servername = daemonName(internId)): Promise<DaemonTls> {
    const now = this.#deps.now()
    if (!this.#own || now >= this.#own.renewAt) {
      this.#making ??= this.#renewOwn().finally(() => {
        this.#making = undefined
      })
      // While the database is away, the one it has is good for the rest of its time.
      await this.#making.catch((error: unknown) => {
        if (!this.#own || now >= this.#own.until) throw error
      })
    }
    return { context: this.#own!.context, servername, sessions: this.#sessions }
  }

  async #renewOwn(): Promise<void> {
    const { certificate, key, authorities, renewAt } = await this.#issue({ name: serverName, as: 'client' })
    const context = createSecureContext({ cert: certificate, key, ca: authorities, minVersion: 'TLSv1.3' })
    this.#sessions.clear()
    this.#own = { context, renewAt, until: renewAt + certificateMs / 2 }
  }

  async #issue(holder: Holder): Promise<CertificateFiles> {
    const now = this.#deps.now()
    const { signs, known } = await this.#authorities()
    const { issueCertificate } = await import('#platform/net/certificates.ts')
    const period = { from: now - earlierMs, until: now + certificateMs }
    const issued = await issueCertificate(signs, holder, period)
    return { ...issued, authorities: known.join(''), renewAt: now + certificateMs / 2 }
  }

  /** All that vouch, and the one that signs now: the latest that everybody has heard of. */
  async #authorities(): Promise<{ signs: Issued & { name: string }; known: string[] }> {
    const { db, vault, now } = this.#deps
    let rows = await this.#rows(db.query)
    if (!rows.some((row) => row.expires_at > now() + successorMs)) rows = await this.#succeed()
    const heard = rows.filter((row) => row.created_at <= now() - introductionMs)
    const { name, certificate, key_sealed } = heard.at(-1) ?? rows[0]!
    const key = vault.open(key_sealed, sealedAs(name))
    return { signs: { name, certificate, key }, known: rows.map((row) => row.certificate) }
  }

  /** The oldest first. What a server with another encryption key made is of no use here. */
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

  #succeed() {
    const { db, vault, now } = this.#deps
    return db.exclusively('intern authorities', async (tx) => {
      const rows = await this.#rows(tx)
      if (rows.some((row) => row.expires_at > now() + successorMs)) return rows
      const { makeAuthority } = await import('#platform/net/certificates.ts')
      const name = `Signalbox interns ${randomBytes(8).toString('hex')}`
      const [created_at, expires_at] = [now(), now() + authorityMs]
      const { certificate, key } = await makeAuthority(name, { from: created_at - earlierMs, until: expires_at })
      const row = {
        ...{ name, certificate, created_at, expires_at },
        key_sealed: vault.seal(key, sealedAs(name)),
        sealed_by: vault.keyName,
      }
      await tx.insertInto('intern_authorities').values(row).execute()
      await tx.deleteFrom('intern_authorities').where('expires_at', '<=', now()).execute()
      return [...rows, row]
    })
  }
}

const sealedAs = (name: string) => `intern authority ${name}`
