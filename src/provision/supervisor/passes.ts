/** Runs one pass for each id at a time. Requests during a pass cause exactly one more pass afterwards. */
export class Passes {
  readonly #pass: (id: string) => Promise<void>
  readonly #running = new Map<string, Promise<void>>()
  readonly #requested = new Set<string>()

  /** @param pass must not reject. */
  constructor(pass: (id: string) => Promise<void>) {
    this.#pass = pass
  }

  /** Resolves when a pass that started after the call has ended. */
  request(id: string): Promise<void> {
    const running = this.#running.get(id)
    if (running) {
      this.#requested.add(id)
      return running
    }
    const passes = this.#repeat(id)
    this.#running.set(id, passes)
    return passes
  }

  async #repeat(id: string): Promise<void> {
    do {
      this.#requested.delete(id)
      await this.#pass(id)
    } while (this.#requested.has(id))
    // Synchronous with the last check: a request in between would wait for a pass that never runs.
    this.#running.delete(id)
  }

  ids(): Iterable<string> {
    return this.#running.keys()
  }

  isRunningAny(): boolean {
    return this.#running.size > 0
  }

  /** Resolves when no pass of this id is running. */
  async waitUntilEnded(id: string): Promise<void> {
    await this.#running.get(id)
  }
}
