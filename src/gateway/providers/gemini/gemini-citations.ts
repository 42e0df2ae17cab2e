import type { Citation, CompletionEvent } from '#chat/events.ts'
import type { BytePositions } from '#platform/text/byte-positions.ts'
import type { CitationMetadata, Grounding } from './gemini-searches.ts'

/** Reads the citations of a response. Events of a stream repeat earlier ones, which are skipped. */
export class GroundingCitations {
  readonly #emittedKeys = new Set<string>()
  /** The number of each source, as a short key for repeated citations. */
  readonly #sourceNumbers = new Map<string, number>()

  /** @param text the text so far. */
  read({ groundingChunks, groundingSupports }: Grounding, text: BytePositions): CompletionEvent[] {
    const chunks = Array.isArray(groundingChunks) ? groundingChunks : []
    const sources = chunks.map((chunk, at) => this.#withNumber(toSource(chunk ?? {}, at)))
    const supportedSources = new Set<number>()
    const citedTexts: CitedText[] = []
    for (const { segment, groundingChunkIndices } of Array.isArray(groundingSupports) ? groundingSupports : [])
      for (const at of groundingChunkIndices ?? []) {
        const source = sources[at]
        if (!source) continue
        supportedSources.add(at)
        citedTexts.push({ source, position: readPosition(segment, text) })
      }
    for (const [at, source] of sources.entries())
      if (source && !supportedSources.has(at)) citedTexts.push({ source, position: {} })
    const newCitations = citedTexts.filter((candidate) => this.#addIfNew(candidate))
    return newCitations.map(({ source: { citation }, position }) => ({ type: 'citation', ...citation, ...position }))
  }

  /** Reads the works that the text repeats. */
  readCitationMetadata({ citationSources, citations }: CitationMetadata, text: BytePositions): CompletionEvent[] {
    const cited = citationSources ?? citations
    const groundingChunks = (Array.isArray(cited) ? cited : []).map(({ uri, title }) => ({ web: { uri, title } }))
    const supportOf = (segment: object, at: number) => ({ segment, groundingChunkIndices: [at] })
    const groundingSupports = (Array.isArray(cited) ? cited : []).map(supportOf)
    return this.read({ groundingChunks, groundingSupports } as Grounding, text)
  }

  #withNumber(citation: Citation | undefined): Source | undefined {
    if (!citation) return undefined
    const number = this.#sourceNumbers.getOrInsert(JSON.stringify(citation), this.#sourceNumbers.size)
    return { citation, number }
  }

  /** @returns whether the citation was not emitted before. */
  #addIfNew({ source: { number }, position: { start, end } }: CitedText): boolean {
    const key = `${number} ${start} ${end}`
    if (this.#emittedKeys.has(key)) return false
    this.#emittedKeys.add(key)
    return true
  }
}

type Source = { citation: Citation; number: number }
type CitedText = { source: Source; position: Pick<Citation, 'start' | 'end'> }
type Chunk = NonNullable<Grounding['groundingChunks']>[number]

function toSource({ web, maps, retrievedContext: file }: Chunk, index: number): Citation | undefined {
  const { uri, title } = web ?? maps ?? file ?? {}
  const quote = file?.text ? { quote: file.text } : {}
  if (uri) return { url: uri, ...(title && { title }), ...quote }
  const id = file?.fileSearchStore ?? title
  return file && id ? { file: { id, name: title ?? id, index }, ...quote } : undefined
}

function readPosition(
  segment: { startIndex?: number; endIndex?: number } | undefined,
  text: BytePositions,
): Pick<Citation, 'start' | 'end'> {
  const { startIndex: start = 0, endIndex: end } = segment ?? {}
  if (typeof start !== 'number' || typeof end !== 'number') return {}
  return { start: text.unitsIn(start), end: text.unitsIn(end) }
}
