/**
 * Runs `pass` for one id at a time. A request that comes during a pass is answered by one more pass after it, however
 * many came.
 */
export class Passes {
  readonly #pass: (id: string) => Promise<void>
  readonly #running = new Map<string, Promise<void>>()
  readonly #again = new Set<string>()

  /** @param pass must not reject. */
  constructor(pass: (id: string) => Promise<void>) {
    this.#pass = pass
  }

  /** Resolves when a pass that began after the call has ended. */
  request(id: string): Promise<void> {
    const running = this.#running.get(id)
    if (running) {
      this.#again.add(id)
      return running
    }
    const passes = this.#repeat(id)
    this.#running.set(id, passes)
    return passes
  }

  async #repeat(id: string): Promise<void> {
    do {
      this.#again.delete(id)
      await this.#pass(id)
    } while (this.#again.has(id))
    // In the same step as the last look: a request in between would wait for a pass that never comes.
    this.#running.delete(id)
  }

  ids(): Iterable<string> {
    return this.#running.keys()
  }

  isRunningAny(): boolean {
    return this.#running.size > 0
  }

  /** Resolves when no pass of this id is under way. */
  async ended(id: string): Promise<void> {
    await this.#running.get(id)
  }
}
