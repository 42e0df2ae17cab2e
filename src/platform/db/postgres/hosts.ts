/**
 * The servers of a database URL. Connections use the current one. If it is unreachable or read-only, the next one becomes
 * current.
 */
export class Hosts {
  readonly requiresWritable: boolean
  readonly #urls: readonly string[]
  #current = 0

  constructor({ urls, requiresWritable }: { urls: readonly string[]; requiresWritable: boolean }) {
    this.#urls = urls
    this.requiresWritable = requiresWritable
  }

  get count(): number {
    return this.#urls.length
  }

  get current(): string {
    return this.#urls[this.#current]!
  }

  /** Selects the next server, unless another connection already did. */
  reject(url: string): void {
    if (url === this.current) this.#current = (this.#current + 1) % this.#urls.length
  }
}
