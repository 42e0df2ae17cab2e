/** The parts that could not be imported: a sentence for each reason, with the names it applies to. */
export class Left {
  readonly #names = new Map<string, Set<string>>()

  add(name: string, reason: string): void {
    const names = this.#names.get(reason)
    if (names) names.add(name)
    else this.#names.set(reason, new Set([name]))
  }

  sentences(): string[] {
    return [...this.#names].map(([reason, names]) => `${listed([...names])}: ${reason}`)
  }
}

const most = 12

function listed(names: string[]): string {
  const rest = names.length - most
  return rest > 0 ? `${names.slice(0, most).join(', ')} and ${rest} more` : names.join(', ')
}
