import type { AnswerEvent } from '#chat/events.ts'

export type Source = { uri?: string; title?: string }
/** A result of a file store. It has a URL if the file came from one. */
export type Retrieved = Source & { text?: string; fileSearchStore?: string }
/** Positions in bytes of UTF-8. A missing start is 0. */
type Segment = { startIndex?: number; endIndex?: number; text?: string }

/** The sources of an answer. */
export type Grounding = {
  webSearchQueries?: string[] | null
  searchEntryPoint?: object | null
  groundingChunks?: { web?: Source; maps?: Source; retrievedContext?: Retrieved }[] | null
  groundingSupports?: { segment?: Segment; groundingChunkIndices?: number[] }[] | null
}

/** Up to version 2.5 a request with searches is billed once, from 3 each query is. */
const byRequest = /gemini-(?:flash-|pro-)?[12](?:\D|$)/

export function searchesByRequest(model: string): boolean {
  return byRequest.test(model)
}

/** Limits number and length of the queries. */
const [maxQueries, maxQueryLength] = [1000, 1000]

/** Counts the billed searches. Events of a stream can repeat earlier queries. */
export class Searches {
  readonly #queries = new Set<string>()
  #searched = 0
  #mapped = false

  read(grounding: Grounding, model: string | undefined): AnswerEvent[] {
    const { webSearchQueries: queries, searchEntryPoint, groundingChunks } = grounding
    const chunks = Array.isArray(groundingChunks) ? groundingChunks : []
    for (const query of Array.isArray(queries) ? queries : [])
      if (this.#queries.size < maxQueries) this.#queries.add(String(query).slice(0, maxQueryLength))
    // Sometimes the queries are missing although there are results.
    const queryCount = this.#queries.size || (searchEntryPoint || chunks.some((chunk) => chunk?.web) ? 1 : 0)
    const billed = searchesByRequest(model ?? '') ? Math.min(1, queryCount) : queryCount
    const events: AnswerEvent[] = []
    for (; this.#searched < billed; this.#searched++) events.push({ type: 'piece', unit: 'google_search' })
    if (!this.#mapped && chunks.some((chunk) => chunk?.maps)) {
      this.#mapped = true
      events.push({ type: 'piece', unit: 'google_maps' })
    }
    return events
  }
}
