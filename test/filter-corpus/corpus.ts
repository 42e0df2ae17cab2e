import { type BuiltinSlug, builtinSlugs } from '#policy/filters/detectors/builtins.ts'
import type { Span } from '#policy/filters/span.ts'
import { negative, positive, special } from './values.ts'

/** A sentence and what should be found in it: by one filter, or by none. */
export type Labelled = { text: string; slug: BuiltinSlug | undefined; spans: Span[] }

/** The same sentences every time. */
export function corpus(): Labelled[] {
  const positives = builtinSlugs.flatMap((slug) => {
    const { values, sentences } = positive[slug]
    return values.flatMap((value, i) =>
      // Every value in three sentences, every sentence with some values.
      [0, 1, 2].map((j): Labelled => say(sentences[(i + 2 * j) % sentences.length]!, slug, value)),
    )
  })
  const marked = special.map(([slug, sentence]): Labelled => ({ slug, ...unmark(sentence) }))
  return [...positives, ...marked, ...negative.map((text): Labelled => ({ text, slug: undefined, spans: [] }))]
}

function say(sentence: string, slug: BuiltinSlug, value: string): Labelled {
  const marked = sentence.replaceAll('{{', '{').replace('{}', `⟦${value}⟧`)
  return { slug, ...unmark(marked) }
}

/** Takes the marks out of a sentence and tells where they were. */
function unmark(sentence: string): { text: string; spans: Span[] } {
  const spans: Span[] = []
  let text = ''
  for (const piece of sentence.split(/(⟦[^⟧]*⟧)/)) {
    const inner = piece.startsWith('⟦') ? piece.slice(1, -1) : piece
    if (inner !== piece) spans.push({ start: text.length, end: text.length + inner.length })
    text += inner
  }
  return { text, spans }
}
