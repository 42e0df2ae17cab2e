/** Collects notes about parts that were not imported: one sentence for each reason, with the names that it applies to. */
export class ImportNotes {
  readonly #names = new Map<string, Set<string>>()

  add(name: string, reason: string): void {
    const names = this.#names.get(reason)
    if (names) names.add(name)
    else this.#names.set(reason, new Set([name]))
  }

  sentences(): string[] {
    return [...this.#names].map(([reason, names]) => `${joinNames([...names])}: ${reason}`)
  }
}

const maxNames = 12

function joinNames(names: string[]): string {
  const remaining = names.length - maxNames
  return remaining > 0 ? `${names.slice(0, maxNames).join(', ')} and ${remaining} more` : names.join(', ')
}
