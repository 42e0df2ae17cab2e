/** Signals that the client has disconnected: the part of `AbortSignal` that a request needs, at a tenth of its cost. */
export type DisconnectSignal = {
  readonly aborted: boolean
  addEventListener: (type: 'abort', listener: () => void, options?: { once?: boolean }) => void
  removeEventListener: (type: 'abort', listener: () => void) => void
}

/** Controls a `DisconnectSignal`. Each listener is called at most once. */
export class DisconnectController implements DisconnectSignal {
  #aborted = false
  /** Created with the first listener, because an empty list that grows allocates room for 17. */
  #listeners: (() => void)[] | undefined

  get aborted(): boolean {
    return this.#aborted
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.#aborted) return
    if (!this.#listeners) this.#listeners = [listener]
    else if (!this.#listeners.includes(listener)) this.#listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners?.indexOf(listener) ?? -1
    if (at !== -1) this.#listeners!.splice(at, 1)
  }

  abort(): void {
    if (this.#aborted) return
    this.#aborted = true
    const listeners = this.#listeners ?? []
    this.#listeners = undefined
    for (const listener of listeners) listener()
  }
}

/** Creates an `AbortSignal` that aborts with a `DisconnectSignal`. */
export function toAbortSignal(signal: DisconnectSignal): AbortSignal {
  const controller = new AbortController()
  if (signal.aborted) controller.abort()
  else signal.addEventListener('abort', () => controller.abort(), { once: true })
  return controller.signal
}
