import { printableExactly, printableLine } from '../text/printable.ts'

const mostTold = 1000

/** What an archive does not hold though it was there, told by a last file in it. */
export class LeftOut {
  static readonly fileName = 'SIGNALBOX-LEFT-OUT.txt'
  readonly #lines: string[] = []
  #count = 0

  add(name: string, error: unknown): void {
    const { code, message } = error as NodeJS.ErrnoException
    // It has gone in the meantime.
    if (code === 'ENOENT') return
    this.#count += 1
    if (this.#lines.length < mostTold) this.#lines.push(`${printableExactly(name)}: ${printableLine(message)}`)
  }

  /** Undefined where nothing was left out. */
  text(): Buffer | undefined {
    if (this.#count === 0) return undefined
    const more = this.#count - this.#lines.length
    const lines = [...this.#lines, ...(more > 0 ? [`and ${more} more`] : [])]
    return Buffer.from(`Not in this archive, though in the folder:\n${lines.join('\n')}\n`)
  }
}
