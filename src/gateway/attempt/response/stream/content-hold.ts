import type { CompletionEvent } from '#chat/events.ts'
import { IdleTimer } from '#platform/async/idle-timer.ts'

type HeldEvents = { events: CompletionEvent[]; raw: Buffer | undefined }

/** Holds the events of a stream before its first content, so that another endpoint can be tried after a failure. */
export class ContentHold {
  #events: HeldEvents[] = []
  readonly #timer: IdleTimer
  readonly #maxMs: number

  /** @param maxMs how long the first event is held. @param onExpired is called after that. */
  constructor(maxMs: number, onExpired: () => void) {
    this.#maxMs = maxMs
    this.#timer = new IdleTimer(onExpired)
  }

  get isEmpty(): boolean {
    return this.#events.length === 0
  }

  add(events: CompletionEvent[], raw: Buffer | undefined): void {
    if (this.isEmpty) this.#timer.start(this.#maxMs)
    this.#events.push({ events, raw })
  }

  /** Removes and returns the events. */
  take(): readonly HeldEvents[] {
    this.stopTimer()
    const events = this.#events
    this.#events = []
    return events
  }

  stopTimer(): void {
    this.#timer.stop()
  }
}

const typesWithoutContent: ReadonlySet<CompletionEvent['type']> = new Set(['started', 'usage', 'billed_piece'])

/** Whether an event is content or the end of a response, so that no other endpoint is tried after it. */
export const endsHold = ({ type }: CompletionEvent) => !typesWithoutContent.has(type)

/** Whether an event is a piece of content, such as text, a call or an image. */
export const isContent = (type: CompletionEvent['type']) => !typesWithoutContent.has(type) && type !== 'finish'
