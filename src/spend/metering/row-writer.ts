import { setImmediate as nextEventLoopTurn, setTimeout as sleep } from 'node:timers/promises'
import { sharePending } from '#platform/async/share-pending.ts'
import { waitAtMost } from '#platform/async/wait-at-most.ts'
import type { Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import type { Generation } from '../ledger/generation.ts'
import type { Spill } from './spill.ts'
import type { WaitingRows } from './waiting-rows.ts'
import { type RejectedGeneration, writeAcceptable } from './write.ts'

type WriterDeps = {
  db: Db
  now?: Now
  rows: WaitingRows
  spill: Spill
  /** Aborted when the server stops. From then on, files are left for the next start. */
  closing: AbortSignal
  onError: (error: Error) => void
  onRejected: (error: Error) => void
}

const retryEveryMs = 200

/** Writes metered requests to the database, those in memory first, then those in files. */
export class RowWriter {
  readonly #deps: WriterDeps
  readonly #maxBatchRows: number

  constructor(deps: WriterDeps, maxBatchRows: number) {
    this.#deps = deps
    this.#maxBatchRows = maxBatchRows
  }

  /** Writes the waiting rows. A second call waits for the first. */
  readonly flush = sharePending(() => this.#writeAll())

  /** Writes the remaining rows to a file, or retries file and database until one succeeds. */
  async saveRemaining(withinMs: number): Promise<void> {
    const { rows, onError } = this.#deps
    const endsAt = performance.now() + withinMs
    while (rows.queuedCount > 0) {
      await rows.save().catch(onError)
      if (rows.queuedCount === 0 || performance.now() >= endsAt) return
      await sleep(Math.min(retryEveryMs, withinMs))
      // The flush can wait for the database.
      await waitAtMost(retryEveryMs, this.flush().catch(onError))
    }
  }

  async #writeAll(): Promise<void> {
    const { rows } = this.#deps
    while (rows.queuedCount > 0) {
      const batch = rows.peek(this.#maxBatchRows)
      await this.#write(batch)
      rows.removeWritten(batch)
    }
    // Rows that are being written to a file are read from that file next.
    await rows.pendingSave?.catch(() => {})
    await this.#writeFiles()
  }

  async #writeFiles(): Promise<void> {
    const { spill, closing, onError } = this.#deps
    for (const file of await spill.files()) {
      if (closing.aborted) return
      const generations = await spill.read(file).catch((error) => void onError(error))
      if (!generations) continue
      await this.#write(generations)
      await spill.remove(file)
    }
  }

  async #write(generations: Generation[]): Promise<void> {
    const { rows, onRejected } = this.#deps
    // Yields to requests, unless rows arrive faster than they are written.
    const pause = () => (rows.queuedCount > this.#maxBatchRows ? undefined : nextEventLoopTurn())
    for (const rejected of await writeAcceptable({ ...this.#deps, pause }, generations))
      onRejected(rejectedError(rejected))
  }
}

/** Returns an error without the message of the database, which can contain values of the row. */
function rejectedError({ generation, error }: RejectedGeneration): Error {
  const { code } = error as { code?: string }
  return new Error(`the database rejected the metered request ${generation.id} (${code}); it is not stored`)
}
