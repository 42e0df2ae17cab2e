/** Tells that a reader has left: as much of an `AbortSignal` as a request needs, which is a tenth of its cost. */
export type LeaveSignal = {
  readonly aborted: boolean
  addEventListener: (type: 'abort', listener: () => void, options?: { once?: boolean }) => void
  removeEventListener: (type: 'abort', listener: () => void) => void
}

/** Aborts once at most: a listener is called once, however it was added. */
export class Leaving implements LeaveSignal {
  #aborted = false
  /** Made with the first: an empty list that grows takes room for 17 at once. */
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

/** The same for who needs a real `AbortSignal`. */
export function abortSignalOf(left: LeaveSignal): AbortSignal {
  const controller = new AbortController()
  if (left.aborted) controller.abort()
  else left.addEventListener('abort', () => controller.abort(), { once: true })
  return controller.signal
}
