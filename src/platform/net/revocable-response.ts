import { type LeaveSignal, Leaving } from '../async/leave-signal.ts'
import type { Fault } from '../core/fault.ts'
import type { ResponseStream } from './response-stream.ts'

/**
 * A response stream that can be revoked. To its writer that looks as if the client had left, but the
 * reader is told why.
 */
export class RevocableResponse implements ResponseStream {
  readonly #inner: ResponseStream
  readonly #left = new Leaving()
  #revoked: Fault | undefined
  #ended = false
  #tell: ((fault: Fault) => void) | undefined
  readonly #leave = () => this.#left.abort()

  constructor(inner: ResponseStream) {
    this.#inner = inner
    if (inner.signal.aborted) this.#leave()
    else inner.signal.addEventListener('abort', this.#leave, { once: true })
  }

  get opened(): boolean {
    return this.#inner.opened
  }

  get signal(): LeaveSignal {
    return this.#left
  }

  /** Why it was taken away, if it was. */
  get revoked(): Fault | undefined {
    return this.#revoked
  }

  /** Whether the response can still be written. */
  get isOpen(): boolean {
    return !this.#ended && !this.#inner.signal.aborted
  }

  header(name: string, value: string): void {
    this.#inner.header(name, value)
  }

  write(chunk: string | Buffer): boolean {
    return this.#ended || this.#inner.write(chunk)
  }

  onDrain(listener: () => void): void {
    this.#inner.onDrain(listener)
  }

  end(last?: Buffer): void {
    if (this.#ended) return
    this.#ended = true
    this.#inner.end(last)
  }

  /**
   * @param tell writes a fault in the words of the stream, and ends it; called when it has opened, and once at most.
   */
  onRevoked(tell: (fault: Fault) => void): void {
    this.#tell = tell
  }

  revoke(fault: Fault): void {
    if (this.#revoked || !this.isOpen) return
    this.#revoked = fault
    // Before anybody hears of it: the last words must be the last.
    if (this.opened) this.#tell?.(fault)
    this.#left.abort()
  }

  /** The request is over: the inner stream keeps no listener of it. */
  release(): void {
    this.#inner.signal.removeEventListener('abort', this.#leave)
  }
}
