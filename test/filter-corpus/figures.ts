import { type BuiltinSlug, builtinSlugs } from '#policy/filters/detectors/builtins.ts'
import { findBuiltin } from '#policy/filters/detectors/find-builtin.ts'
import { fold } from '#policy/filters/fold.ts'
import type { Span } from '#policy/filters/span.ts'
import { corpus, type Labelled } from './corpus.ts'
import { halves, type Kind, sentencesOf } from './people.ts'
import { positive } from './values.ts'

/**
 * The results of one filter. `found` counts labelled texts that were covered completely. `wrong` counts finds that
 * touch no text labelled for this filter, in sentences with labels of this kind or with none.
 */
type Figures = { slug: BuiltinSlug; labelled: number; found: number; wrong: number; misses: string[] }

export function measure(sentences: Labelled[] = corpus()): Figures[] {
  return builtinSlugs.map((slug) => {
    const figures: Figures = { slug, labelled: 0, found: 0, wrong: 0, misses: [] }
    for (const sentence of sentences)
      if (sentence.slug === slug || sentence.slug === undefined) judge(figures, sentence)
    return figures
  })
}

function judge(figures: Figures, { text, spans }: Labelled): void {
  const { text: seen, restore } = fold(text)
  const finds = restore(findBuiltin[figures.slug](seen))
  const covered = spans.filter(({ start, end }) => finds.some((find) => find.start <= start && find.end >= end))
  const wrong = finds.filter((find) => !spans.some((span) => touch(find, span)))
  figures.labelled += spans.length
  figures.found += covered.length
  figures.wrong += wrong.length
  if (covered.length < spans.length || wrong.length > 0) figures.misses.push(text)
}

function touch(a: Span, b: Span): boolean {
  return a.start < b.end && b.start < a.end
}

/** The scope of each filter, for the documents. */
export function scopesTable(): string {
  const rows = builtinSlugs.map((slug) => `| \`${slug}\` | ${positive[slug].finds} | ${positive[slug].doesNotFind} |`)
  return ['| filter | finds | does not find |', '| --- | --- | --- |', ...rows].join('\n')
}

export const precision = ({ found, wrong }: Figures): number => found / (found + wrong)
export const recall = ({ found, labelled }: Figures): number => found / labelled

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

/** The results of `person-name` on one half of the names, by position in a sentence and in total. */
export function measureNames(half: keyof typeof halves): Map<Kind | 'all', Figures> {
  const sentences = sentencesOf(halves[half])
  const by = new Map<Kind | 'all', Figures>()
  for (const sentence of sentences) {
    for (const kind of [sentence.kind, 'all'] as const) {
      const figures = by.get(kind) ?? { slug: 'person-name', labelled: 0, found: 0, wrong: 0, misses: [] }
      judge(figures, sentence)
      by.set(kind, figures)
    }
  }
  return by
}

/** The table of names in the document. */
export function namesTable(): string {
  const rows = (Object.keys(halves) as (keyof typeof halves)[]).flatMap((half) =>
    [...measureNames(half)].map(([kind, figures]) => {
      const { labelled, found, wrong } = figures
      const precise = found + wrong > 0 && labelled > 0 ? percent(precision(figures)) : ''
      return `| ${half} | ${kind} | ${labelled} | ${found} | ${wrong} | ${precise} | ${labelled > 0 ? percent(recall(figures)) : ''} |`
    }),
  )
  const head = [
    '| half | sentences with | labelled | found | wrong finds | precision | recall |',
    '| --- | --- | --: | --: | --: | --: | --: |',
  ]
  return [...head, ...rows].join('\n')
}

/** The table of the document. */
export function figuresTable(): string {
  const rows = measure().map((figures) => {
    const { slug, labelled, found, wrong } = figures
    return `| \`${slug}\` | ${labelled} | ${found} | ${wrong} | ${percent(precision(figures))} | ${percent(recall(figures))} |`
  })
  const head = [
    '| filter | labelled | found | wrong finds | precision | recall |',
    '| --- | --: | --: | --: | --: | --: |',
  ]
  return [...head, ...rows].join('\n')
}
