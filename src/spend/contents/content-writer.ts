import { promisify } from 'node:util'
import { deflateRaw } from 'node:zlib'
import type { Vault } from '#identity/provider-keys/vault.ts'
import { type Reconciler, startReconciler } from '#platform/async/reconcile.ts'
import { waitAtMost } from '#platform/async/wait-at-most.ts'
import { type Db, isRejectedWrite } from '#platform/db/db.ts'
import type { ContentOwner } from './content.ts'
import { type EncryptedContent, writeContents } from './write-contents.ts'

const deflateAsync = promisify(deflateRaw)

/** The maximum size of the queue. Further contents are dropped, so that requests need not wait. */
const maxWaitingBytes = 32 * 1024 * 1024

/** Limits a transaction, which blocks those of the ledger for some milliseconds. */
const maxBatchBytes = 1024 * 1024
const maxBatchRows = 50

const writeIntervalMs = 250
/** The delay after a failure, such as an unreachable database. */
const retryDelayMs = 2250
const closeTimeoutMs = 2000

type ContentWriterDeps = {
  db: Db
  vault: Vault
  /** Counts stored and dropped contents. */
  count: (outcome: 'kept' | 'dropped', number: number) => void
  /** Called if the database is unreachable. */
  onError: (error: Error) => void
}

type QueuedContent = { owner: ContentOwner; text: string; byteLength: number }

/**
 * Encrypts and writes contents in the background. Contents that exceed the memory limit, or that the database rejects, are
 * dropped and counted. They are never written to a file.
 */
export class ContentWriter {
  readonly #deps: ContentWriterDeps
  readonly #writeLoop: Reconciler
  #isClosing = false
  #queue: QueuedContent[] = []
  #waitingBytes = 0

  constructor(deps: ContentWriterDeps) {
    this.#deps = deps
    const write = async () => {
      await this.#writeAll()
      return writeIntervalMs
    }
    this.#writeLoop = startReconciler(write, { firstMs: writeIntervalMs, retryMs: retryDelayMs, onError: deps.onError })
  }

  /** The size of the waiting contents, in bytes. */
  get waitingBytes(): number {
    return this.#waitingBytes
  }

  enqueue(owner: ContentOwner, content: object): void {
    const text = JSON.stringify(content)
    const byteLength = Buffer.byteLength(text)
    if (this.#isClosing || this.#waitingBytes + byteLength > maxWaitingBytes) return this.#deps.count('dropped', 1)
    this.#waitingBytes += byteLength
    this.#queue.push({ owner, text, byteLength })
  }

  async #writeAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#nextBatch()
      const rows = await Promise.all(batch.map((content) => this.#encrypt(content)))
      const written = await this.#write(rows)
      this.#queue.splice(0, batch.length)
      this.#waitingBytes -= batch.reduce((sum, { byteLength }) => sum + byteLength, 0)
      this.#deps.count('kept', written)
    }
  }

  /**
   * @returns the number of written contents. Others were deleted meanwhile, or rejected.
   * @throws transient errors, such as an unreachable database, which are retried.
   */
  async #write(rows: EncryptedContent[]): Promise<number> {
    try {
      return await writeContents(this.#deps.db, rows)
    } catch (error) {
      if (!isRejectedWrite(error)) throw error
      if (rows.length === 1) {
        this.#deps.count('dropped', 1)
        return 0
      }
      let written = 0
      for (const row of rows) written += await this.#write([row])
      return written
    }
  }

  #nextBatch(): QueuedContent[] {
    let rowCount = 0
    let batchBytes = 0
    for (const { byteLength } of this.#queue) {
      batchBytes += byteLength
      // A batch has at least one content.
      if (rowCount > 0 && (batchBytes > maxBatchBytes || rowCount === maxBatchRows)) break
      rowCount++
    }
    return this.#queue.slice(0, rowCount)
  }

  async #encrypt({ owner, text }: QueuedContent): Promise<EncryptedContent> {
    const { vault } = this.#deps
    return { ...owner, sealed: vault.sealBytes(await deflateAsync(text), owner.id), sealedBy: vault.keyName }
  }

  /** Writes the waiting contents, within a time limit. */
  async close(): Promise<void> {
    this.#isClosing = true
    const last = this.#writeLoop.stop().then(() => this.#writeAll().catch(this.#deps.onError))
    await waitAtMost(closeTimeoutMs, last)
    if (this.#queue.length > 0) this.#deps.count('dropped', this.#queue.length)
  }
}
