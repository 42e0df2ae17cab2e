import { DisconnectController, type DisconnectSignal } from '../async/disconnect-signal.ts'
import type { Fault } from '../core/fault.ts'
import type { ResponseStream } from './response-stream.ts'

/**
 * A response stream that can be revoked. Its writer sees a disconnected client, its reader receives the reason.
 */
export class RevocableResponse implements ResponseStream {
  readonly #inner: ResponseStream
  readonly #controller = new DisconnectController()
  #revocationFault: Fault | undefined
  #hasEnded = false
  #writeFault: ((fault: Fault) => void) | undefined
  readonly #abort = () => this.#controller.abort()

  constructor(inner: ResponseStream) {
    this.#inner = inner
    if (inner.signal.aborted) this.#abort()
    else inner.signal.addEventListener('abort', this.#abort, { once: true })
  }

  get opened(): boolean {
    return this.#inner.opened
  }

  get signal(): DisconnectSignal {
    return this.#controller
  }

  /** The reason of the revocation, if it was revoked. */
  get revocationFault(): Fault | undefined {
    return this.#revocationFault
  }

  /** Whether the response can still be written. */
  get isOpen(): boolean {
    return !this.#hasEnded && !this.#inner.signal.aborted
  }

  header(name: string, value: string): void {
    this.#inner.header(name, value)
  }

  write(chunk: string | Buffer): boolean {
    return this.#hasEnded || this.#inner.write(chunk)
  }

  onDrain(listener: () => void): void {
    this.#inner.onDrain(listener)
  }

  end(last?: Buffer): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#inner.end(last)
  }

  /**
   * @param writeFault writes a fault in the form of the stream, and ends it. Called at most once, and only after it has opened.
   */
  onRevoked(writeFault: (fault: Fault) => void): void {
    this.#writeFault = writeFault
  }

  revoke(fault: Fault): void {
    if (this.#revocationFault || !this.isOpen) return
    this.#revocationFault = fault
    // The fault is written before the signal aborts, so that nothing follows the fault.
    if (this.opened) this.#writeFault?.(fault)
    this.#controller.abort()
  }

  /** Removes the listener of the inner stream at the end of the request. */
  release(): void {
    this.#inner.signal.removeEventListener('abort', this.#abort)
  }
}
