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

type QueuedContent = ContentOwner & { text: string }

/**
 * Encrypts and writes contents in the background. Contents that exceed the memory limit, or that the database rejects, are
 * dropped and counted. They are never written to a file.
 */
export class ContentWriter {
  readonly #deps: ContentWriterDeps
  readonly #writeLoop: Reconciler
  #isClosing = false
  #queue: QueuedContent[] = []
  #bytes = 0

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
    return this.#bytes
  }

  enqueue(owner: ContentOwner, content: object): void {
    const text = JSON.stringify(content)
    if (this.#isClosing || this.#bytes + text.length > maxWaitingBytes) return this.#deps.count('dropped', 1)
    this.#bytes += text.length
    this.#queue.push({ ...owner, text })
  }

  async #writeAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#nextBatch()
      const rows = await Promise.all(batch.map((content) => this.#encrypt(content)))
      const written = await this.#write(rows)
      this.#queue.splice(0, batch.length)
      this.#bytes -= batch.reduce((sum, { text }) => sum + text.length, 0)
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
    let bytes = 0
    const end = this.#queue.findIndex(({ text }, index) => {
      bytes += text.length
      // A batch has at least one content.
      return index > 0 && (bytes > maxBatchBytes || index >= maxBatchRows)
    })
    return this.#queue.slice(0, end === -1 ? this.#queue.length : end)
  }

  async #encrypt({ text, ...owner }: QueuedContent): Promise<EncryptedContent> {
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
