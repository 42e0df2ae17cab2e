import type { AnswerEvent, Citation } from '#chat/events.ts'
import type { Grounding } from './gemini-searches.ts'

/** What an answer cites, each once: pieces of a stream repeat what earlier ones said. */
export class GroundingCitations {
  readonly #told = new Set<string>()

  /** @param text all that was said so far. */
  read({ groundingChunks, groundingSupports }: Grounding, text: string): AnswerEvent[] {
    const sources = Array.isArray(groundingChunks) ? groundingChunks.map((chunk) => chunk?.web ?? chunk?.maps) : []
    const supported = new Set<number>()
    const cited: Citation[] = []
    for (const { segment, groundingChunkIndices } of Array.isArray(groundingSupports) ? groundingSupports : [])
      for (const at of groundingChunkIndices ?? []) {
        const source = sources[at]
        if (!source?.uri) continue
        supported.add(at)
        cited.push({ ...citationOf(source), ...placeOf(segment, text) })
      }
    for (const [at, source] of sources.entries()) if (source?.uri && !supported.has(at)) cited.push(citationOf(source))
    return cited.filter((one) => this.#isNew(one)).map((one) => ({ type: 'citation', ...one }))
  }

  #isNew(citation: Citation): boolean {
    const key = JSON.stringify(citation)
    if (this.#told.has(key)) return false
    this.#told.add(key)
    return true
  }
}

function citationOf({ uri, title }: { uri?: string; title?: string }): Citation {
  return { url: uri ?? '', ...(title && { title }) }
}

function placeOf(
  segment: { startIndex?: number; endIndex?: number } | undefined,
  text: string,
): Pick<Citation, 'start' | 'end'> {
  if (typeof segment?.endIndex !== 'number') return {}
  const bytes = Buffer.from(text)
  const lengthUpTo = (index: number) => bytes.subarray(0, index).toString('utf8').length
  return { start: lengthUpTo(segment.startIndex ?? 0), end: lengthUpTo(segment.endIndex) }
}
