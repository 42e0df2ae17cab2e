import { isObject } from '#platform/core/is-object.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import type { EventFilter } from '../../../protocol/response-normalization.ts'
import { type Fields, withFields } from '../../with-fields.ts'
import { mapChoices } from '../chunk-events.ts'

/** The fields of a delta with text. */
const textFields = ['content', 'reasoning_content', 'reasoning'] as const

/** Reduces deltas that repeat the whole text so far to what is new in each (docs/decisions/0293). */
export class CumulativeTextFilter implements EventFilter {
  readonly isDone = false
  /** The text so far, by choice and field. */
  readonly #texts = new Map<unknown, Fields>()

  filter(event: SseEvent): SseEvent {
    return mapChoices(event, (choice) => {
      const { delta, index } = choice
      if (!isObject(delta)) return choice
      const texts = this.#texts.getOrInsertComputed(index, () => ({}))
      const changes: Fields = {}
      for (const name of textFields) {
        const text = delta[name]
        if (typeof text !== 'string' || text === '') continue
        const before = (texts[name] ?? '') as string
        const repeats = text.startsWith(before)
        changes[name] = repeats ? text.slice(before.length) : text
        // Some servers send the last piece alone.
        texts[name] = repeats ? text : before + text
      }
      const increment = withFields(delta, changes)
      return increment === delta ? choice : { ...choice, delta: increment }
    })
  }

  flush(): SseEvent[] {
    return []
  }
}
