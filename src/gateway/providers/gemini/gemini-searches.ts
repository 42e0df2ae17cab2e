import type { AnswerEvent } from '#chat/events.ts'

export type Source = { uri?: string; title?: string }
/** A result of a file store. It has an address if the file came from one. */
export type Retrieved = Source & { text?: string; fileSearchStore?: string }
/** Counted in bytes of UTF-8; a start that is left out is 0. */
type Segment = { startIndex?: number; endIndex?: number; text?: string }

/** The sources that an answer says it is based on. */
export type Grounding = {
  webSearchQueries?: string[] | null
  searchEntryPoint?: object | null
  groundingChunks?: { web?: Source; maps?: Source; retrievedContext?: Retrieved }[] | null
  groundingSupports?: { segment?: Segment; groundingChunkIndices?: number[] }[] | null
}

/** Up to 2.5 a request that searches is billed once, from 3 on each of its queries is. */
const byRequest = /gemini-(?:flash-|pro-)?[12](?:\D|$)/

export function searchesByRequest(model: string): boolean {
  return byRequest.test(model)
}

/** More than any answer searches for, and longer than it does. */
const [mostQueries, longestQuery] = [1000, 1000]

/** Counts what was searched for, as it is told: each piece of a stream may repeat what earlier ones said. */
export class Searches {
  readonly #queries = new Set<string>()
  #searched = 0
  #mapped = false

  read(grounding: Grounding, model: string | undefined): AnswerEvent[] {
    const { webSearchQueries: queries, searchEntryPoint, groundingChunks } = grounding
    const chunks = Array.isArray(groundingChunks) ? groundingChunks : []
    for (const query of Array.isArray(queries) ? queries : [])
      if (this.#queries.size < mostQueries) this.#queries.add(String(query).slice(0, longestQuery))
    // Now and then the queries are missing though what they found is there.
    const told = this.#queries.size || (searchEntryPoint || chunks.some((chunk) => chunk?.web) ? 1 : 0)
    const billed = searchesByRequest(model ?? '') ? Math.min(1, told) : told
    const events: AnswerEvent[] = []
    for (; this.#searched < billed; this.#searched++) events.push({ type: 'piece', unit: 'google_search' })
    if (!this.#mapped && chunks.some((chunk) => chunk?.maps)) {
      this.#mapped = true
      events.push({ type: 'piece', unit: 'google_maps' })
    }
    return events
  }
}
