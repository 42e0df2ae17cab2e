/**
 * Keeps the names of an object's fields distinct after some were rewritten. A name that is taken gets a number:
 * `label`, `label 2`, `label 3`. The time is linear in the number of names.
 */
export class UniqueNames {
  /** The names so far, and whether each was rewritten. */
  readonly #isRewritten = new Map<string, boolean>()
  /** The number to try next, for each name that was taken. */
  readonly #nextNumber = new Map<string, number>()

  /** Adds a name as it is. */
  reserve(name: string): void {
    this.#isRewritten.set(name, false)
  }

  /** Returns the name with a number if another field has it. Names that were equal before rewriting stay equal. */
  add(name: string, before: string): string {
    const isRewritten = name !== before
    const isOtherRewritten = this.#isRewritten.get(name)
    const isFree = isOtherRewritten === undefined
    const areBothUnchanged = isOtherRewritten === false && !isRewritten
    if (isFree || areBothUnchanged) {
      this.#isRewritten.set(name, isRewritten)
      return name
    }
    let number = this.#nextNumber.get(name) ?? 2
    while (this.#isRewritten.has(`${name} ${number}`)) number++
    this.#nextNumber.set(name, number + 1)
    const numbered = `${name} ${number}`
    this.#isRewritten.set(numbered, true)
    return numbered
  }
}
