import { setImmediate as turn } from 'node:timers/promises'
import type { Seeded } from '../service/world/seeded.ts'

/** Messages on a slow network. */
export class DelayedMessages {
  readonly #chance: Seeded
  #waiting: (() => void)[] = []

  constructor(chance: Seeded) {
    this.#chance = chance
  }

  /** Resolves when the message is delivered. */
  delay(): Promise<void> {
    return new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Delivers messages in any order: each with a chance of one half, or all. */
  deliver(all = false): void {
    const messages = this.#waiting
    this.#waiting = []
    for (const deliver of messages) {
      if (all || this.#chance.chance(0.5)) deliver()
      else this.#waiting.push(deliver)
    }
  }

  /** Delivers messages until the promise settles, so that nothing waits for one forever. */
  async deliverUntilSettled(work: Promise<unknown>): Promise<void> {
    let isPending = true
    const settled = work.finally(() => {
      isPending = false
    })
    while (isPending) {
      this.deliver(true)
      await turn()
    }
    await settled
  }
}
