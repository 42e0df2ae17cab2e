import type { CompletionEvent } from '#chat/events.ts'

type Source = { uri?: string; title?: string }
/** A result of a file store. It has a URL if the file came from one. */
type Retrieved = Source & { text?: string; fileSearchStore?: string }
/** Positions in bytes of UTF-8. A missing start is 0. */
type Segment = { startIndex?: number; endIndex?: number; text?: string }

/** Works that a text repeats. Google AI has the list in `citationSources`, Vertex in `citations`. */
export type CitationMetadata = { citationSources?: Cited[] | null; citations?: Cited[] | null }
type Cited = Source & Segment

/** The sources of a response. */
export type Grounding = {
  webSearchQueries?: string[] | null
  searchEntryPoint?: object | null
  groundingChunks?: { web?: Source; maps?: Source; retrievedContext?: Retrieved }[] | null
  groundingSupports?: { segment?: Segment; groundingChunkIndices?: number[] }[] | null
}

/** Models up to version 2.5 bill a request with searches once. Later models bill each query. */
const modelsBilledByRequest = /gemini-(?:flash-|pro-)?[12](?:\D|$)/

export function billsSearchesByRequest(model: string): boolean {
  return modelsBilledByRequest.test(model)
}

/** Limits the number and the length of queries that are stored while a response is read. */
const maxQueries = 1000
const maxQueryLength = 1000

/** Counts the billed searches. Events of a stream can repeat earlier queries. */
export class SearchCounter {
  readonly #queries = new Set<string>()
  #searchCount = 0
  #hasMapSearch = false

  read(grounding: Grounding, model: string | undefined): CompletionEvent[] {
    const { webSearchQueries: queries, searchEntryPoint, groundingChunks } = grounding
    const chunks = Array.isArray(groundingChunks) ? groundingChunks : []
    for (const query of Array.isArray(queries) ? queries : [])
      if (this.#queries.size < maxQueries) this.#queries.add(String(query).slice(0, maxQueryLength))
    // Some responses have results but no queries.
    const queryCount = this.#queries.size || (searchEntryPoint || chunks.some((chunk) => chunk?.web) ? 1 : 0)
    const billed = billsSearchesByRequest(model ?? '') ? Math.min(1, queryCount) : queryCount
    const events: CompletionEvent[] = []
    while (this.#searchCount < billed) {
      events.push({ type: 'billed_piece', unit: 'google_search' })
      this.#searchCount++
    }
    if (!this.#hasMapSearch && chunks.some((chunk) => chunk?.maps)) {
      this.#hasMapSearch = true
      events.push({ type: 'billed_piece', unit: 'google_maps' })
    }
    return events
  }
}
