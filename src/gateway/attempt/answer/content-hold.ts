import type { AnswerEvent } from '#chat/events.ts'
import { IdleTimer } from '#platform/async/idle-timer.ts'

type HeldEvents = { events: AnswerEvent[]; raw: Buffer | undefined }

/** The events of a stream before its first content. Until then, a failure can still lead to another endpoint. */
export class ContentHold {
  #events: HeldEvents[] = []
  readonly #timer: IdleTimer
  readonly #ms: number

  /** @param ms how long events are held from the first one on. @param expire is called after that. */
  constructor(ms: number, expire: () => void) {
    this.#ms = ms
    this.#timer = new IdleTimer(expire)
  }

  get isEmpty(): boolean {
    return this.#events.length === 0
  }

  add(events: AnswerEvent[], raw: Buffer | undefined): void {
    if (this.isEmpty) this.#timer.start(this.#ms)
    this.#events.push({ events, raw })
  }

  /** Removes and returns the events. */
  take(): readonly HeldEvents[] {
    this.stop()
    const events = this.#events
    this.#events = []
    return events
  }

  stop(): void {
    this.#timer.stop()
  }
}

const typesWithoutContent: ReadonlySet<AnswerEvent['type']> = new Set(['started', 'usage', 'billed_piece'])

/** Whether an event is content or the end of an answer, so that no other endpoint is tried after it. */
export const endsHold = ({ type }: AnswerEvent) => !typesWithoutContent.has(type)

/** Whether an event is a piece of content, such as text, a call or an image. */
export const isContent = (type: AnswerEvent['type']) => !typesWithoutContent.has(type) && type !== 'finish'
