import type { BlockWriter } from './block-writer.ts'
import type { TextBlock } from './message.ts'

/** Attaches citations to the text blocks of a message. Citations can arrive before or after their text. */
export class CitationWriter {
  readonly #blocks: BlockWriter
  /** Citations that arrived while no text block was open. */
  readonly #pendingCitations: object[] = []

  constructor(blocks: BlockWriter) {
    this.#blocks = blocks
  }

  /** Attaches a citation to the open text block, or stores it for the next one. */
  write(citation: object): string {
    const { openBlock } = this.#blocks
    if (openBlock?.type === 'text') return this.#attach(openBlock, [citation])
    this.#pendingCitations.push(citation)
    return ''
  }

  /** Attaches the citations that arrived before the text of the open block. */
  attachPending(block: TextBlock): string {
    return this.#pendingCitations.length === 0 ? '' : this.#attach(block, this.#pendingCitations.splice(0))
  }

  /** At the end of the message, attaches the citations that arrived after their text to the last text block. */
  attachLate(): string {
    const { content } = this.#blocks
    const at = content.findLastIndex(({ type }) => type === 'text')
    if (this.#pendingCitations.length === 0 || at === -1) return ''
    return this.#attach(content[at] as TextBlock, this.#pendingCitations.splice(0), at)
  }

  #attach(block: TextBlock, citations: object[], index?: number): string {
    block.citations ??= []
    for (const citation of citations) block.citations.push(citation)
    const cite = (citation: object) => this.#blocks.writeDelta({ type: 'citations_delta', citation }, index)
    return citations.map(cite).join('')
  }
}
