import type { CompletionEvent } from '#chat/events.ts'
import { type PartPosition, partKey } from './openai-responses-parts.ts'

export type Annotation = {
  type?: string
  url?: string
  title?: string
  start_index?: number
  end_index?: number
  file_id?: string
  filename?: string
  index?: number
}

/** The text between two messages of a response, such as a comment and the answer, which other protocols have as one text. */
const messageSeparator = '\n\n'

/** The most parts of a response. It limits the memory for their positions. */
const maxParts = 10_000

/** Tracks the start of each text part in the whole text, because annotations count from their part. */
export class TextOffsets {
  readonly #starts = new Map<string, number>()
  #length = 0

  add(position: PartPosition, text: string | undefined): void {
    const key = partKey(position)
    if (!this.#starts.has(key)) {
      if (this.#starts.size === maxParts) throw new Error(`it has more than ${maxParts} parts`)
      this.#starts.set(key, this.#length)
    }
    this.#length += text?.length ?? 0
  }

  /** Starts a message. @returns the text between it and the text before it, which becomes part of the whole text. */
  startMessage(): string {
    const separator = this.#length > 0 ? messageSeparator : ''
    this.#length += separator.length
    return separator
  }

  startOf(position: PartPosition): number {
    return this.#starts.get(partKey(position)) ?? this.#length
  }
}

/** Reads the sources that xAI lists beside the output. */
export function readSources(citations: unknown): CompletionEvent[] {
  const urls = Array.isArray(citations) ? citations.filter((one): one is string => typeof one === 'string') : []
  return urls.map((url) => ({ type: 'citation', url }))
}

/** Reads the annotations of a part that cite a URL or a file. @param from the start of the part in the whole text. */
export function readCitations(
  annotations: (Annotation | undefined)[] | null | undefined,
  from: number,
): CompletionEvent[] {
  return (annotations ?? []).flatMap((annotation): CompletionEvent[] => {
    const { url, title, start_index: start, end_index: end } = annotation ?? {}
    const position = start === undefined || end === undefined ? {} : { start: from + start, end: from + end }
    if (url) return [{ type: 'citation', url, ...(title && { title }), ...position }]
    const { file_id: id, filename, index = 0 } = annotation ?? {}
    return id ? [{ type: 'citation', file: { id, name: filename ?? id, index }, ...position }] : []
  })
}
