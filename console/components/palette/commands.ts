import { matchesAllWords } from '../filters/matches-all-words.ts'
import { createRegistry } from '../window/registry.ts'

/** A command of the palette. `words` are additional search terms. */
export type Command = { title: string; words?: string; hint?: string; onSelect: () => void }

export const { list: commands, useItems: useCommands } = createRegistry<Command>()

/** The commands that contain every typed word; titles that start with the first word come first. */
export function findCommands(all: Command[], searchText: string): Command[] {
  const [firstWord] = searchText.trim().toLowerCase().split(/\s+/)
  const rank = ({ title }: Command) => (title.toLowerCase().startsWith(firstWord!) ? 0 : 1)
  return all
    .filter(({ title, words = '', hint = '' }) => matchesAllWords(`${title} ${words} ${hint}`, searchText))
    .sort((a, b) => rank(a) - rank(b))
}
