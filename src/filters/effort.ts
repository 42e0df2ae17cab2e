import type { Wanted } from './find.ts'
import type { Leaf } from './leaves.ts'
import { estimateSize } from './pattern-size.ts'

/** Nanoseconds a character costs at worst, by what is looked for. */
const builtinNs = 60
const patternNs = 100
const patternStepNs = 10

/** Preparing a larger pattern alone would hold up other requests. */
const maxHereSize = 500
const leafNs = 3000

/** Milliseconds that looking through these texts may take, from above; infinite for what must not be tried here. */
export function effortMs(wanted: readonly Wanted[], leaves: readonly Leaf[]): number {
  const characters = leaves.reduce((sum, { text, context }) => sum + text.length + context.length, 0)
  const eachNs = wanted.reduce(
    (sum, { sought }) => sum + ('pattern' in sought ? patternCost(sought.pattern) : builtinNs),
    0,
  )
  return (characters * eachNs + leaves.length * wanted.length * leafNs) / 1e6
}

function patternCost(pattern: string): number {
  const size = estimateSize(pattern)
  return size > maxHereSize ? Number.POSITIVE_INFINITY : patternNs + patternStepNs * size
}
