import type { Labelled } from './corpus.ts'
import { heldOut } from './people-held-out.ts'
import { tuned } from './people-tuned.ts'

/**
 * What one half of the corpus is made of. Lists in one text are separated by `;`, lists of single words by a space, with
 * `|` for the space within one. `{}` stands for the name.
 */
export type Half = {
  names: string
  texts: string[]
  surnames: string
  titled: string[]
  given: string
  alone: string[]
  /** Things named like a person: places, firms, products, prizes, laws, days, offices. */
  things: string
  about: string[]
  nobody: string[]
}

/** The position of a name in a sentence. */
export type Kind = 'full name' | 'title and surname' | 'given name alone' | 'no person'
type Sentence = Labelled & { kind: Kind }

export const halves = { tuned, 'held out': heldOut } as const

/** A thousand sentences of one half, the same every time. */
export function sentencesOf(half: Half): Sentence[] {
  const names = half.names.split(';').map((name) => name.trim().replace(/\s+/g, ' '))
  const words = (list: string) => list.split(' ').map((word) => word.replace('|', ' '))
  const things = half.things.split(';').map((name) => name.trim().replace(/\s+/g, ' '))
  const people = [
    ...combine('full name', names, half.texts, 560),
    ...combine('title and surname', words(half.surnames), half.titled, 60),
    ...combine('given name alone', words(half.given), half.alone, 40),
  ]
  const none = combine('no person', things, half.about, 340 - half.nobody.length)
  return [...people, ...[...none, ...half.nobody.map((text) => ({ text, kind: 'no person' as const }))].map(unlabelled)]
}

/** So many sentences: each value in turn, and of the sentences another one each time round. */
function combine(kind: Kind, values: string[], sentences: string[], count: number): Sentence[] {
  return Array.from({ length: count }, (_, i): Sentence => {
    const value = values[i % values.length]!
    const round = Math.floor(i / values.length)
    const sentence = sentences[((i % values.length) + 3 * round) % sentences.length]!
    const start = sentence.indexOf('{}')
    const spans = [{ start, end: start + value.length }]
    return { kind, slug: 'person-name', text: sentence.replace('{}', value), spans }
  })
}

function unlabelled({ text, kind }: { text: string; kind: Kind }): Sentence {
  return { text, kind, slug: undefined, spans: [] }
}
