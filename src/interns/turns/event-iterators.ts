import { IdleTimer } from '#platform/async/idle-timer.ts'
import { closesStream, type TurnEvent } from '../contract/turn-event.ts'

/** Calls `onDecision` for each decision of a rule, and `complete` for the closing event before it is passed on. */
export function completeLastEvent(
  events: AsyncIterator<TurnEvent>,
  onDecision: () => void,
  complete: (event: TurnEvent) => Promise<TurnEvent>,
): AsyncIterator<TurnEvent> {
  const next = async () => {
    const result = await events.next()
    if (!result.done && result.value.type === 'decision.made') onDecision()
    if (result.done || !closesStream(result.value)) return result
    return { done: false as const, value: await complete(result.value) }
  }
  return { next, return: async () => (await events.return?.()) ?? { done: true, value: undefined } }
}

/** The longest time between two events of a turn, from its request on. */
export class IdleLimit {
  readonly #ms: number
  readonly #controller = new AbortController()
  readonly #timer = new IdleTimer(() => this.#controller.abort())

  constructor(ms: number) {
    this.#ms = ms
    this.restart()
  }

  /** Aborts when the time has passed, or by `endTurn`. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  restart(): void {
    this.#timer.start(this.#ms)
  }

  stop(): void {
    this.#timer.stop()
  }

  /** Ends a turn that could not be passed on. @returns whether its time had passed before. */
  endTurn(): boolean {
    this.#timer.stop()
    const hasExpired = this.signal.aborted
    this.#controller.abort()
    return hasExpired
  }
}

/** Passes events on. Each event restarts the time limit. After it, `timeout` is the last event. */
export function withIdleTimeout(
  events: AsyncIterator<TurnEvent>,
  idleLimit: IdleLimit,
): AsyncIterableIterator<TurnEvent | 'timeout', undefined> {
  let hasLeft = false
  const close = async () => {
    hasLeft = true
    idleLimit.stop()
    await events.return?.()
    return { done: true as const, value: undefined }
  }
  const next = async () => {
    try {
      const result = await events.next()
      if (result.done) idleLimit.stop()
      else if (!hasLeft) idleLimit.restart()
      return result
    } catch (error) {
      await close()
      if (!idleLimit.signal.aborted) throw error
      return { done: false as const, value: 'timeout' as const }
    }
  }
  const iterator = { next, return: close, [Symbol.asyncIterator]: () => iterator }
  return iterator
}
