import { escapeUnambiguously, printableLine } from '../../text/printable.ts'

const maxListed = 1000

/** The entries of a folder that are not in its archive, with the reasons. They are listed in a last file. */
export class SkippedEntries {
  static readonly fileName = 'SIGNALBOX-LEFT-OUT.txt'
  readonly #lines: string[] = []
  #count = 0

  add(name: string, error: unknown): void {
    const { code, message } = error as NodeJS.ErrnoException
    // The entry was deleted meanwhile, so the archive is complete without it.
    if (code === 'ENOENT') return
    this.#count += 1
    if (this.#lines.length < maxListed) this.#lines.push(`${escapeUnambiguously(name)}: ${printableLine(message)}`)
  }

  /** The list; undefined if no entry was skipped. */
  text(): Buffer | undefined {
    if (this.#count === 0) return undefined
    const lines = [...this.#lines]
    const unlistedCount = this.#count - this.#lines.length
    if (unlistedCount > 0) lines.push(`and ${unlistedCount} more`)
    return Buffer.from(`Skipped entries of the folder:\n${lines.join('\n')}\n`)
  }
}
