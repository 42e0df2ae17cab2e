import type { CompletionEvent } from '#chat/events.ts'
import type { Exchange } from '../upstream/upstream.ts'
import type { Receiver, WholeResponse } from './receiver.ts'
import { type ErrorEvent, findErrorEvent } from './response-failure.ts'
import { ResponseSizeLimit } from './response-size-limit.ts'

/** The content of a whole response of at most this size is not checked against `ResponseSizeLimit`. */
const maxUncheckedBytes = 64 * 1024

/** Passes one response to its receiver. Once it has started, no other endpoint can be tried. */
export class Delivery {
  readonly receiver: Receiver
  /** The request in flight. Undefined until it was sent. */
  exchange: Exchange | undefined
  #hasStarted = false

  constructor(receiver: Receiver) {
    this.receiver = receiver
  }

  get hasStarted(): boolean {
    return this.#hasStarted
  }

  start(): void {
    if (this.#hasStarted) return
    this.#hasStarted = true
    if (this.exchange) this.receiver.onStart(this.exchange)
  }

  /**
   * Passes a whole response to the receiver.
   * @param wholeResponse undefined if the response must be translated for the client.
   * @returns the error that the response reports instead of content, which is not passed on.
   * @throws Error if the content is too large.
   */
  deliverWhole(events: CompletionEvent[], wholeResponse: WholeResponse | undefined): ErrorEvent | 'complete' {
    const error = findErrorEvent(events)
    if (error) return error
    // `addEvents` throws if the content is too large. Its sum is not needed.
    if (wholeResponse && wholeResponse.bytes.length > maxUncheckedBytes) new ResponseSizeLimit().addEvents(events)
    this.start()
    this.receiver.onEvents(events, undefined, wholeResponse)
    return 'complete'
  }
}
