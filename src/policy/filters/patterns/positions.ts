import type { CharacterClass } from './character-class.ts'
import type { Assertion, Pattern } from './pattern-syntax.ts'

/** The kinds of adjacent characters that assertions distinguish. */
export const kinds = ['nothing', 'word', 'newline', 'other'] as const
export type Kind = 0 | 1 | 2 | 3

/** Bit 4 × before + after is set if the position is allowed between two such characters. */
type Guard = number
const anyContext: Guard = 0xffff
const guardOf = (holds: (before: number, after: number) => boolean): Guard =>
  [...Array(16).keys()].reduce((bits, i) => (holds(i >> 2, i & 3) ? bits | (1 << i) : bits), 0)
export const allows = (guard: Guard, before: Kind, after: Kind): boolean => ((guard >> (4 * before + after)) & 1) === 1

const guards: Record<Assertion, Guard> = {
  textStart: guardOf((before) => before === 0),
  textEnd: guardOf((_, after) => after === 0),
  lineStart: guardOf((before) => before === 0 || before === 2),
  lineEnd: guardOf((_, after) => after === 0 || after === 2),
  wordBoundary: guardOf((before, after) => (before === 1) !== (after === 1)),
  noWordBoundary: guardOf((before, after) => (before === 1) === (after === 1)),
}

/** A transition to a position that consumes nothing in between. Equal transitions can occur several times. */
export type Transition = { to: number; guard: Guard }

/** Each character of a pattern is a position, with transitions to the positions that can follow it. */
export type Positions = { classes: CharacterClass[]; transitions: Transition[][]; first: Transition[] }

/** The first and last positions of a part of a pattern, and its transitions that consume nothing. */
type Part = { first: Transition[]; last: Transition[]; emptyPaths: Guard[] }

const maxPositions = 600
const maxTransitions = 6000
const tooLarge = new Error('The pattern has too many positions, or too many transitions.')

/** Undefined if the pattern is too large to analyse, can match the empty string, or repeats a part that can. */
export function positionsOf(pattern: Pattern): Positions | undefined {
  const classes: CharacterClass[] = []
  const transitions: Transition[][] = []
  let count = 0

  const restrict = (a: Transition[], guard: Guard): Transition[] =>
    a.flatMap((transition) =>
      transition.guard & guard ? [{ to: transition.to, guard: transition.guard & guard }] : [],
    )

  function link(from: Transition[], to: Transition[]): void {
    for (const a of from) {
      const more = restrict(to, a.guard)
      count += more.length
      if (count > maxTransitions) throw tooLarge
      transitions[a.to]!.push(...more)
    }
  }

  function concatenate(a: Part, b: Part): Part {
    link(a.last, b.first)
    const emptyPaths = a.emptyPaths
      .flatMap((one) => b.emptyPaths.map((other) => one & other))
      .filter((guard) => guard !== 0)
    const first = [...a.first, ...a.emptyPaths.flatMap((guard) => restrict(b.first, guard))]
    const last = [...b.last, ...b.emptyPaths.flatMap((guard) => restrict(a.last, guard))]
    if (first.length + last.length + emptyPaths.length > maxTransitions) throw tooLarge
    return { first, last, emptyPaths }
  }

  const emptyPart = (): Part => ({ first: [], last: [], emptyPaths: [anyContext] })

  function build(part: Pattern): Part {
    switch (part.type) {
      case 'character': {
        if (classes.length >= maxPositions) throw tooLarge
        const transition = { to: classes.push(part.class) - 1, guard: anyContext }
        transitions.push([])
        return { first: [transition], last: [transition], emptyPaths: [] }
      }
      case 'assertion':
        return { first: [], last: [], emptyPaths: [guards[part.at]] }
      case 'sequence':
        return part.items.map(build).reduce(concatenate, emptyPart())
      case 'choice': {
        const parts = part.items.map(build)
        const all = <Key extends keyof Part>(key: Key) => parts.flatMap((one) => one[key] as Part[Key][number][])
        return {
          first: all('first') as Transition[],
          last: all('last') as Transition[],
          emptyPaths: all('emptyPaths') as Guard[],
        }
      }
      case 'repeat':
        return repeat(part)
      default:
        return part satisfies never
    }
  }

  function repeat({ item, min, max }: Extract<Pattern, { type: 'repeat' }>): Part {
    let rest = emptyPart()
    if (max === Number.POSITIVE_INFINITY) {
      const loop = build(item)
      if (loop.emptyPaths.length > 0) throw tooLarge
      link(loop.last, loop.first)
      rest = min === 0 ? { ...loop, emptyPaths: [anyContext] } : loop
    } else {
      // The second repetition is nested in the first: a(a(a)?)?
      for (let i = max; i > min; i--) {
        const once = concatenate(build(item), rest)
        rest = { ...once, emptyPaths: [...once.emptyPaths, anyContext] }
      }
    }
    const required = max === Number.POSITIVE_INFINITY && min > 0 ? min - 1 : min
    for (let i = 0; i < required; i++) rest = concatenate(build(item), rest)
    return rest
  }

  try {
    const { first, emptyPaths } = build(pattern)
    return emptyPaths.length > 0 ? undefined : { classes, transitions, first }
  } catch (error) {
    if (error === tooLarge) return undefined
    throw error
  }
}
