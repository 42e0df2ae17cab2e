import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

/** Something the palette can do: `words` find it besides its title. */
export type Command = { title: string; words?: string; hint?: string; act: () => void }

const sources = signal<readonly (() => Command[])[]>([])

export const commands = (): Command[] => sources.value.flatMap((source) => source())

/** While the component is there, the palette has these too. */
export function useCommands(own: Command[]): void {
  const latest = useRef(own)
  latest.current = own
  useEffect(() => {
    const source = () => latest.current
    sources.value = [...sources.peek(), source]
    return () => {
      sources.value = sources.peek().filter((one) => one !== source)
    }
  }, [])
}

/** Those in which every word that was typed occurs; where the title begins with it first. */
export function findCommands(all: Command[], typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const rank = ({ title }: Command) => (words[0] && title.toLowerCase().startsWith(words[0]) ? 0 : 1)
  return all
    .filter(({ title, words: more = '', hint = '' }) => {
      const text = `${title} ${more} ${hint}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
    .sort((a, b) => rank(a) - rank(b))
}
