/** A part of a response: the index of its item in the output, and its index in the item. */
export type PartPosition = { item: number; part: number }

export type DeltaType = 'text' | 'refusal' | 'reasoning'

/** The lengths of the text and the numbers of citations of each part that were emitted so far, to find what only a closing event has. */
export class EmittedParts {
  readonly #lengths = new Map<string, number>()
  readonly #types = new Set<DeltaType>()
  readonly #citationCounts = new Map<string, number>()

  get hasTextOrRefusal(): boolean {
    return this.has('text') || this.has('refusal')
  }

  get hasCitations(): boolean {
    return this.#citationCounts.size > 0
  }

  has(type: DeltaType): boolean {
    return this.#types.has(type)
  }

  addText(type: DeltaType, position: PartPosition, length: number): void {
    this.#types.add(type)
    this.#lengths.set(textKey(type, position), this.lengthOf(type, position) + length)
  }

  /** The number of emitted characters of a part. */
  lengthOf(type: DeltaType, position: PartPosition): number {
    return this.#lengths.get(textKey(type, position)) ?? 0
  }

  addCitations(position: PartPosition, count: number): void {
    this.#citationCounts.set(partKey(position), this.citationCountOf(position) + count)
  }

  citationCountOf(position: PartPosition): number {
    return this.#citationCounts.get(partKey(position)) ?? 0
  }
}

export const partKey = ({ item, part }: PartPosition) => `${item} ${part}`
const textKey = (type: DeltaType, position: PartPosition) => `${type} ${partKey(position)}`
