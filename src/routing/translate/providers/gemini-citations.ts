import type { AnswerEvent, Citation } from '#chat/events.ts'
import type { Grounding } from './gemini-searches.ts'

/** The citations of an answer, each only once: pieces of a stream repeat earlier ones. */
export class GroundingCitations {
  readonly #told = new Set<string>()

  /** @param text all that was said so far. */
  read({ groundingChunks, groundingSupports }: Grounding, text: string): AnswerEvent[] {
    const chunks = Array.isArray(groundingChunks) ? groundingChunks : []
    const sources = chunks.map((chunk, at) => sourceIn(chunk ?? {}, at))
    const supported = new Set<number>()
    const cited: Citation[] = []
    for (const { segment, groundingChunkIndices } of Array.isArray(groundingSupports) ? groundingSupports : [])
      for (const at of groundingChunkIndices ?? []) {
        const source = sources[at]
        if (!source) continue
        supported.add(at)
        cited.push({ ...source, ...placeOf(segment, text) })
      }
    for (const [at, source] of sources.entries()) if (source && !supported.has(at)) cited.push(source)
    return cited.filter((one) => this.#isNew(one)).map((one) => ({ type: 'citation', ...one }))
  }

  #isNew(citation: Citation): boolean {
    const key = JSON.stringify(citation)
    if (this.#told.has(key)) return false
    this.#told.add(key)
    return true
  }
}

type Chunk = NonNullable<Grounding['groundingChunks']>[number]

function sourceIn({ web, maps, retrievedContext: file }: Chunk, index: number): Citation | undefined {
  const { uri, title } = web ?? maps ?? file ?? {}
  const quote = file?.text ? { quote: file.text } : {}
  if (uri) return { url: uri, ...(title && { title }), ...quote }
  const id = file?.fileSearchStore ?? title
  return file && id ? { file: { id, name: title ?? id, index }, ...quote } : undefined
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
