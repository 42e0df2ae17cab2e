/**
 * Keeps the names of an object's fields distinct after some were rewritten. A name that is taken gets a number:
 * `label`, `label 2`, `label 3`. The time is linear in the number of names.
 */
export class UniqueNames {
  /** The taken names, and whether each was rewritten. */
  readonly #isRewritten = new Map<string, boolean>()
  /** The number to try next, for each name that was taken. */
  readonly #nextNumber = new Map<string, number>()

  /** Marks a name as taken, for a field whose name is never rewritten. */
  reserve(name: string): void {
    this.#isRewritten.set(name, false)
  }

  /** Returns the new name, with a number if it is taken. Duplicate names that were not rewritten stay as they are. */
  add(newName: string, originalName: string): string {
    const isRewritten = newName !== originalName
    const isTaken = this.#isRewritten.has(newName)
    const areBothOriginal = !isRewritten && this.#isRewritten.get(newName) === false
    if (!isTaken || areBothOriginal) {
      this.#isRewritten.set(newName, isRewritten)
      return newName
    }
    let number = this.#nextNumber.get(newName) ?? 2
    while (this.#isRewritten.has(`${newName} ${number}`)) number++
    this.#nextNumber.set(newName, number + 1)
    const numbered = `${newName} ${number}`
    this.#isRewritten.set(numbered, true)
    return numbered
  }
}
