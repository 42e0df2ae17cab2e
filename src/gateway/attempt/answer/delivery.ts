import type { AnswerEvent } from '#chat/events.ts'
import type { Exchange } from '../upstream/upstream.ts'
import type { ErrorEvent } from './answer-failure.ts'
import { AnswerSizeLimit } from './answer-size-limit.ts'
import type { Receiver, WholeAnswer } from './receiver.ts'

/** The content of a whole answer of at most this size is not checked against `AnswerSizeLimit`. */
const maxUncheckedBytes = 64 * 1024

/** Passes one answer to its receiver. Once it has started, no other endpoint can be tried. */
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
   * Passes a whole answer to the receiver.
   * @param wholeAnswer undefined if the answer must be translated for the client.
   * @returns the error that the answer reports instead of content, which is not passed on.
   */
  deliverWhole(events: AnswerEvent[], wholeAnswer: WholeAnswer | undefined): ErrorEvent | 'complete' {
    const error = events.find((event) => event.type === 'error')
    if (error) return error
    if (wholeAnswer && wholeAnswer.bytes.length > maxUncheckedBytes) new AnswerSizeLimit().addEvents(events)
    this.start()
    this.receiver.onEvents(events, undefined, wholeAnswer)
    return 'complete'
  }
}
