import { type CharacterClass, includes, maxCodePoint, newline, wordCharacters } from './character-class.ts'
import { type Automaton, allows, buildAutomaton, type NeighbourKind, neighbourKinds } from './glushkov-automaton.ts'
import type { Pattern } from './pattern-syntax.ts'

/** The maximum number of steps per character. */
const maxSteps = 100
/** The maximum number of steps of a proof: some tens of milliseconds. Most proofs take one or two milliseconds. */
const maxEffort = 40_000

/**
 * Whether a backtracking engine is proven to match the pattern in linear time. This is so if for every text the number of
 * active paths through the pattern, from all possible starts of a match, is bounded. The proof explores all reachable sets
 * of paths, with their counts, until no set is new. The engine follows each active path at most once, so its work per
 * character is bounded too. False can also mean that no proof was found.
 */
export function isProvenLinear(pattern: Pattern): boolean {
  const automaton = buildAutomaton(pattern)
  if (!automaton) return false
  const characterSets = characterSetsOf(automaton.classes)
  const visited = new Set<string>()
  const pending: State[] = [{ previousKind: neighbourKinds.none, counts: new Map() }]
  let effort = characterSets.length * automaton.classes.length
  for (let state = pending.pop(); state; state = pending.pop()) {
    for (const characterSet of characterSets) {
      const { next: nextState, steps } = step(automaton, state, characterSet)
      effort += steps + 1
      if (steps > maxSteps || effort > maxEffort) return false
      const key = keyOf(nextState)
      if (visited.has(key)) continue
      visited.add(key)
      pending.push(nextState)
    }
  }
  return true
}

/** The active positions with their counts, and the kind of the previous character, on which `\b` and `^` depend. */
type State = { previousKind: NeighbourKind; counts: Map<number, number> }

/** An equivalence class of characters, which the pattern does not distinguish: their kind, and the positions that accept them. */
type CharacterSet = { kind: NeighbourKind; accepted: boolean[] }

function step({ transitions, first }: Automaton, state: State, letter: CharacterSet): { next: State; steps: number } {
  const counts = new Map<number, number>()
  let steps = first.length
  const addPaths = (to: number, times: number) => counts.set(to, (counts.get(to) ?? 0) + times)
  for (const { to, guard } of first)
    if (letter.accepted[to] && allows(guard, state.previousKind, letter.kind)) addPaths(to, 1)
  for (const [from, times] of state.counts) {
    steps += times * (1 + transitions[from]!.length)
    for (const { to, guard } of transitions[from]!) {
      if (letter.accepted[to] && allows(guard, state.previousKind, letter.kind)) addPaths(to, times)
    }
  }
  return { next: { previousKind: letter.kind, counts }, steps }
}

function keyOf({ previousKind, counts }: State): string {
  return `${previousKind}:${[...counts].sort(([a], [b]) => a - b).join(';')}`
}

function kindOf(point: number): NeighbourKind {
  if (includes(wordCharacters, point)) return neighbourKinds.word
  return includes(newline, point) ? neighbourKinds.newline : neighbourKinds.other
}

function characterSetsOf(classes: CharacterClass[]): CharacterSet[] {
  const borders = new Set([0])
  for (const ranges of [wordCharacters, newline, ...classes]) {
    for (const [from, to] of ranges) borders.add(from).add(to + 1)
  }
  const letters = new Map<string, CharacterSet>()
  for (const point of borders) {
    if (point > maxCodePoint) continue
    const kind = kindOf(point)
    const accepted = classes.map((ranges) => includes(ranges, point))
    letters.set(kind + accepted.map(Number).join(''), { kind, accepted })
  }
  return [...letters.values()]
}
