import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { deflateRaw } from 'node:zlib'
import type { Vault } from '#identity/provider-keys/vault.ts'
import { type Db, isRefused } from '#platform/db/db.ts'
import type { ContentOwner } from './content.ts'
import { type SealedContent, writeContents } from './store.ts'

const deflated = promisify(deflateRaw)

/** What waits beyond so much is dropped: nobody's request waits for it. */
const waitingBytesAtMost = 32 * 1024 * 1024

/** One transaction holds up those of the ledger for some milliseconds. */
const batchBytes = 1024 * 1024
const batchRows = 50

const everyMs = 250
const afterErrorMs = 2000
const closeMs = 2000

type ContentKeeperDeps = {
  db: Db
  vault: Vault
  /** So many were kept, or not. */
  count: (outcome: 'kept' | 'dropped', by: number) => void
  /** The database is away. */
  onError: (error: Error) => void
}

type Waiting = ContentOwner & { text: string }

/**
 * Takes what was asked and answered, and encrypts and writes it in the background. It is never written elsewhere: what
 * there is no room or no database for is dropped, and counted.
 */
export class ContentKeeper {
  readonly #deps: ContentKeeperDeps
  readonly #closing = new AbortController()
  readonly #writing: Promise<void>
  #queue: Waiting[] = []
  #bytes = 0

  constructor(deps: ContentKeeperDeps) {
    this.#deps = deps
    this.#writing = this.#keepWriting()
  }

  /** How much waits to be written, in bytes. */
  get waitingBytes(): number {
    return this.#bytes
  }

  keep(owner: ContentOwner, content: object): void {
    const text = JSON.stringify(content)
    if (this.#closing.signal.aborted || this.#bytes + text.length > waitingBytesAtMost)
      return this.#deps.count('dropped', 1)
    this.#bytes += text.length
    this.#queue.push({ ...owner, text })
  }

  async #keepWriting(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      await this.#pause(everyMs)
      await this.#writeAll().catch((error) => {
        this.#deps.onError(error)
        return this.#pause(afterErrorMs)
      })
    }
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {})
  }

  async #writeAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#nextBatch()
      const rows = await Promise.all(batch.map((one) => this.#sealed(one)))
      const kept = await this.#write(rows)
      this.#queue.splice(0, batch.length)
      this.#bytes -= batch.reduce((sum, { text }) => sum + text.length, 0)
      this.#deps.count('kept', kept)
    }
  }

  /**
   * @returns how many were written; the others were deleted meanwhile, or refused.
   * @throws what passes, such as a database that is away: it is tried again.
   */
  async #write(rows: SealedContent[]): Promise<number> {
    try {
      return await writeContents(this.#deps.db, rows)
    } catch (error) {
      if (!isRefused(error)) throw error
      if (rows.length === 1) {
        this.#deps.count('dropped', 1)
        return 0
      }
      let kept = 0
      for (const row of rows) kept += await this.#write([row])
      return kept
    }
  }

  #nextBatch(): Waiting[] {
    let bytes = 0
    const end = this.#queue.findIndex(({ text }, at) => {
      bytes += text.length
      return at > 0 && (bytes > batchBytes || at >= batchRows)
    })
    return this.#queue.slice(0, end === -1 ? this.#queue.length : end)
  }

  async #sealed({ text, ...owner }: Waiting): Promise<SealedContent> {
    const { vault } = this.#deps
    return { ...owner, sealed: vault.sealBytes(await deflated(text), owner.id), sealedBy: vault.keyName }
  }

  /** Writes what waits, if that does not take long. */
  async close(): Promise<void> {
    this.#closing.abort()
    const last = this.#writing.then(() => this.#writeAll().catch(this.#deps.onError))
    await Promise.race([last, sleep(closeMs, undefined, { ref: false })])
    if (this.#queue.length > 0) this.#deps.count('dropped', this.#queue.length)
  }
}
