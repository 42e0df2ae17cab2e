/**
 * The servers that a database URL names. Connections go to the current one; one that cannot be reached or accepts no
 * writes makes the next one current.
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

  /** Moves on to the next server, unless another connection already did. */
  reject(url: string): void {
    if (url === this.current) this.#current = (this.#current + 1) % this.#urls.length
  }
}
