import { hasWords } from '../filters/has-words.ts'
import { createRegistry } from '../window/registry.ts'

/** A command of the palette. `words` are additional search terms. */
export type Command = { title: string; words?: string; hint?: string; act: () => void }

export const { list: commands, useItems: useCommands } = createRegistry<Command>()

/** The commands that contain every typed word; titles that start with the first word come first. */
export function findCommands(all: Command[], typed: string): Command[] {
  const [firstWord] = typed.trim().toLowerCase().split(/\s+/)
  const rank = ({ title }: Command) => (title.toLowerCase().startsWith(firstWord!) ? 0 : 1)
  return all
    .filter(({ title, words = '', hint = '' }) => hasWords(`${title} ${words} ${hint}`, typed))
    .sort((a, b) => rank(a) - rank(b))
}
