import type { CharacterClass } from './patterns/character-class.ts'
import type { Assertion, Pattern } from './patterns/pattern-syntax.ts'

/** The kinds of adjacent characters that assertions distinguish. */
export const kinds = ['nothing', 'word', 'newline', 'other'] as const
export type Kind = 0 | 1 | 2 | 3

/** Bit 4 × before + after is set if the position is allowed between two such characters. */
type Guard = number
const anywhere: Guard = 0xffff
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
export type Positions = { classes: CharacterClass[]; ways: Transition[][]; first: Transition[] }

/** The first and last positions of a part of a pattern, and its transitions that consume nothing. */
type Part = { first: Transition[]; last: Transition[]; through: Guard[] }

const maxPositions = 600
const maxWays = 6000
const tooLarge = new Error('The pattern has too many positions, or too many ways between them.')

/** Undefined if the pattern is too large to analyse, can match the empty string, or repeats a part that can. */
export function positionsOf(pattern: Pattern): Positions | undefined {
  const classes: CharacterClass[] = []
  const ways: Transition[][] = []
  let count = 0

  const joined = (a: Transition[], guard: Guard): Transition[] =>
    a.flatMap((way) => (way.guard & guard ? [{ to: way.to, guard: way.guard & guard }] : []))

  function link(from: Transition[], to: Transition[]): void {
    for (const a of from) {
      const more = joined(to, a.guard)
      count += more.length
      if (count > maxWays) throw tooLarge
      ways[a.to]!.push(...more)
    }
  }

  function follow(a: Part, b: Part): Part {
    link(a.last, b.first)
    const through = a.through.flatMap((one) => b.through.map((other) => one & other)).filter((guard) => guard !== 0)
    const first = [...a.first, ...a.through.flatMap((guard) => joined(b.first, guard))]
    const last = [...b.last, ...b.through.flatMap((guard) => joined(a.last, guard))]
    if (first.length + last.length + through.length > maxWays) throw tooLarge
    return { first, last, through }
  }

  const nothing = (): Part => ({ first: [], last: [], through: [anywhere] })

  function read(part: Pattern): Part {
    switch (part.type) {
      case 'character': {
        if (classes.length >= maxPositions) throw tooLarge
        const way = { to: classes.push(part.class) - 1, guard: anywhere }
        ways.push([])
        return { first: [way], last: [way], through: [] }
      }
      case 'assertion':
        return { first: [], last: [], through: [guards[part.at]] }
      case 'sequence':
        return part.items.map(read).reduce(follow, nothing())
      case 'choice': {
        const parts = part.items.map(read)
        const all = <Key extends keyof Part>(key: Key) => parts.flatMap((one) => one[key] as Part[Key][number][])
        return {
          first: all('first') as Transition[],
          last: all('last') as Transition[],
          through: all('through') as Guard[],
        }
      }
      case 'repeat':
        return repeat(part)
      default:
        return part satisfies never
    }
  }

  function repeat({ item, min, max }: Extract<Pattern, { type: 'repeat' }>): Part {
    let rest = nothing()
    if (max === Number.POSITIVE_INFINITY) {
      const loop = read(item)
      if (loop.through.length > 0) throw tooLarge
      link(loop.last, loop.first)
      rest = min === 0 ? { ...loop, through: [anywhere] } : loop
    } else {
      // The second repetition is nested in the first: a(a(a)?)?
      for (let i = max; i > min; i--) {
        const once = follow(read(item), rest)
        rest = { ...once, through: [...once.through, anywhere] }
      }
    }
    const needed = max === Number.POSITIVE_INFINITY && min > 0 ? min - 1 : min
    for (let i = 0; i < needed; i++) rest = follow(read(item), rest)
    return rest
  }

  try {
    const { first, through } = read(pattern)
    return through.length > 0 ? undefined : { classes, ways, first }
  } catch (error) {
    if (error === tooLarge) return undefined
    throw error
  }
}
