import type { CharacterClass } from './character-class.ts'
import type { Assertion, Pattern } from './pattern-syntax.ts'

/** The kinds of adjacent characters that assertions such as `\b` and `^` distinguish. `none`: there is no character, at the start or end of a text. */
export const neighbourKinds = { none: 0, word: 1, newline: 2, other: 3 } as const
export type NeighbourKind = (typeof neighbourKinds)[keyof typeof neighbourKinds]
const { none, word, newline } = neighbourKinds

/**
 * The pairs of adjacent characters between which a condition holds, as a set of bits. Bit `4 * before + after` stands for the
 * kinds of the characters before and after.
 */
type Guard = number
const anyContext: Guard = 0xffff

/** The guard of a condition on the kinds of two adjacent characters. */
function guardOf(holds: (before: number, after: number) => boolean): Guard {
  let bits: Guard = 0
  for (let before = 0; before < 4; before++) {
    for (let after = 0; after < 4; after++) if (holds(before, after)) bits |= 1 << (4 * before + after)
  }
  return bits
}

export function allows(guard: Guard, before: NeighbourKind, after: NeighbourKind): boolean {
  return ((guard >> (4 * before + after)) & 1) === 1
}

const guards: Record<Assertion, Guard> = {
  textStart: guardOf((before) => before === none),
  textEnd: guardOf((_, after) => after === none),
  lineStart: guardOf((before) => before === none || before === newline),
  lineEnd: guardOf((_, after) => after === none || after === newline),
  wordBoundary: guardOf((before, after) => (before === word) !== (after === word)),
  noWordBoundary: guardOf((before, after) => (before === word) === (after === word)),
}

/**
 * A transition to the position of the next character, possible where `guard` holds. Equal transitions can occur several times, one
 * for each path through the pattern.
 */
type Transition = { to: number; guard: Guard }

/** A position after which a match of a part can end, where `guard` holds. */
type LastPosition = { position: number; guard: Guard }

/**
 * The Glushkov automaton of a pattern. Each character of the pattern is a position; `classes` has the characters that a position
 * accepts, `transitions` the positions that can follow, and `first` those where a match can start.
 */
export type Automaton = { classes: CharacterClass[]; transitions: Transition[][]; first: Transition[] }

/** The first and last positions of a part of a pattern, and the guards of its matches of the empty string. */
type Part = { first: Transition[]; last: LastPosition[]; emptyPaths: Guard[] }

const maxPositions = 600
const maxTransitions = 6000
const tooLarge = new Error('The pattern has too many positions, or too many transitions.')
const repeatsEmptyMatch = new Error('The pattern repeats without limit a part that can match the empty string.')

/**
 * Builds the automaton of a pattern with Glushkov's construction.
 * @returns undefined if the pattern is too large to analyse, can match the empty string, or repeats without limit a part that can.
 */
export function buildAutomaton(pattern: Pattern): Automaton | undefined {
  const builder = new AutomatonBuilder()
  try {
    const { first, emptyPaths } = builder.build(pattern)
    if (emptyPaths.length > 0) return undefined
    return { classes: builder.classes, transitions: builder.transitions, first }
  } catch (error) {
    if (error === tooLarge || error === repeatsEmptyMatch) return undefined
    throw error
  }
}

/** Restricts transitions or last positions to those that are possible where `guard` holds. */
const restrict = <T extends Transition | LastPosition>(items: T[], guard: Guard): T[] =>
  items.flatMap((item) => (item.guard & guard ? [{ ...item, guard: item.guard & guard }] : []))

const emptyPart = (): Part => ({ first: [], last: [], emptyPaths: [anyContext] })

class AutomatonBuilder {
  readonly classes: CharacterClass[] = []
  readonly transitions: Transition[][] = []
  #transitionCount = 0

  build(part: Pattern): Part {
    switch (part.type) {
      case 'character':
        return this.#addPosition(part.class)
      case 'assertion':
        return { first: [], last: [], emptyPaths: [guards[part.at]] }
      case 'sequence':
        return part.items
          .map((item) => this.build(item))
          .reduce((before, after) => this.#concatenate(before, after), emptyPart())
      case 'choice': {
        const parts = part.items.map((item) => this.build(item))
        return {
          first: parts.flatMap(({ first }) => first),
          last: parts.flatMap(({ last }) => last),
          emptyPaths: parts.flatMap(({ emptyPaths }) => emptyPaths),
        }
      }
      case 'repeat':
        return this.#repeat(part)
      default:
        return part satisfies never
    }
  }

  #addPosition(characters: CharacterClass): Part {
    if (this.classes.length >= maxPositions) throw tooLarge
    const position = this.classes.push(characters) - 1
    this.transitions.push([])
    return {
      first: [{ to: position, guard: anyContext }],
      last: [{ position, guard: anyContext }],
      emptyPaths: [],
    }
  }

  /** Adds the transitions from the end of one part to the start of another. */
  #link(from: LastPosition[], to: Transition[]): void {
    for (const { position, guard } of from) {
      const added = restrict(to, guard)
      this.#transitionCount += added.length
      if (this.#transitionCount > maxTransitions) throw tooLarge
      this.transitions[position]!.push(...added)
    }
  }

  #concatenate(a: Part, b: Part): Part {
    this.#link(a.last, b.first)
    const emptyPaths = a.emptyPaths
      .flatMap((guardOfA) => b.emptyPaths.map((guardOfB) => guardOfA & guardOfB))
      .filter((guard) => guard !== 0)
    const first = [...a.first, ...a.emptyPaths.flatMap((guard) => restrict(b.first, guard))]
    const last = [...b.last, ...b.emptyPaths.flatMap((guard) => restrict(a.last, guard))]
    if (first.length + last.length + emptyPaths.length > maxTransitions) throw tooLarge
    return { first, last, emptyPaths }
  }

  #repeat({ item, min, max }: Extract<Pattern, { type: 'repeat' }>): Part {
    let tail = emptyPart()
    if (max === Number.POSITIVE_INFINITY) {
      const loop = this.build(item)
      if (loop.emptyPaths.length > 0) throw repeatsEmptyMatch
      this.#link(loop.last, loop.first)
      tail = min === 0 ? { ...loop, emptyPaths: [anyContext] } : loop
    } else {
      // The second repetition is nested in the first: a(a(a)?)?
      for (let i = max; i > min; i--) {
        const once = this.#concatenate(this.build(item), tail)
        tail = { ...once, emptyPaths: [...once.emptyPaths, anyContext] }
      }
    }
    const required = max === Number.POSITIVE_INFINITY && min > 0 ? min - 1 : min
    for (let i = 0; i < required; i++) tail = this.#concatenate(this.build(item), tail)
    return tail
  }
}
