import { type BuiltinSlug, builtinSlugs } from '#filters/builtins.ts'
import { findBuiltin } from '#filters/find-builtin.ts'
import { fold } from '#filters/fold.ts'
import type { Span } from '#filters/span.ts'
import { corpus, type Labelled } from './corpus.ts'

/**
 * How one filter did. `found` are labelled texts that were covered whole, so that nothing of them would have left the
 * house; `wrong` are finds that touch nothing labelled for this filter, in any sentence where nothing is to be found or
 * something of this kind.
 */
export type Figures = { slug: BuiltinSlug; labelled: number; found: number; wrong: number; misses: string[] }

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

export const precision = ({ found, wrong }: Figures): number => found / (found + wrong)
export const recall = ({ found, labelled }: Figures): number => found / labelled

/** The table of the document. */
export function figuresTable(): string {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`
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
