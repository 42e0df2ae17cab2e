import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { hasWords } from '../filters/has-words.ts'

/** A command of the palette. `words` are additional search terms. */
export type Command = { title: string; words?: string; hint?: string; act: () => void }

const sources = signal<readonly (() => Command[])[]>([])

export const commands = (): Command[] => sources.value.flatMap((source) => source())

/** Registers commands while the component is mounted. */
export function useCommands(componentCommands: Command[]): void {
  const latest = useRef(componentCommands)
  latest.current = componentCommands
  useEffect(() => {
    const source = () => latest.current
    sources.value = [...sources.peek(), source]
    return () => {
      sources.value = sources.peek().filter((one) => one !== source)
    }
  }, [])
}

/** The commands that contain every typed word; titles that start with the first word come first. */
export function findCommands(all: Command[], typed: string): Command[] {
  const [firstWord] = typed.trim().toLowerCase().split(/\s+/)
  const rank = ({ title }: Command) => (title.toLowerCase().startsWith(firstWord!) ? 0 : 1)
  return all
    .filter(({ title, words = '', hint = '' }) => hasWords(`${title} ${words} ${hint}`, typed))
    .sort((a, b) => rank(a) - rank(b))
}
