import type { SseEvent } from '#platform/net/sse.ts'
import type { EventFilter } from '../../../protocol/response-normalization.ts'

/** The filters that change the text of one stream, in their order. */
export class EventFilters {
  /** The filters that are still needed. A finished filter is removed. */
  #filters: readonly EventFilter[]

  constructor(filters: readonly EventFilter[]) {
    this.#filters = filters
  }

  /** Whether no event needs a change any more. */
  get areDone(): boolean {
    return this.#filters.length === 0
  }

  /** Returns the changed event, or the same one. */
  apply(event: SseEvent): SseEvent {
    if (this.areDone) return event
    const filtered = this.#filters.reduce((next, filter) => filter.filter(next), event)
    this.#filters = this.#filters.filter(({ isDone }) => !isDone)
    return filtered
  }

  /** Returns events with the text that filters still hold, because it can be the start of a tag such as `</think>`. */
  takeHeldText(): SseEvent[] {
    let events: SseEvent[] = []
    for (const filter of this.#filters) events = [...events.map(filter.filter, filter), ...filter.flush()]
    this.#filters = []
    return events
  }
}
