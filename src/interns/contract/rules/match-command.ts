import { matchesGlob } from './glob.ts'
import type { Word } from './shell-words.ts'
import { programOf } from './wrapper-commands.ts'

/** `perhaps`: it depends on values that are known only when the command runs. */
export type Match = 'yes' | 'no' | 'perhaps'

/** The words of a pattern. `**` at its end matches any further words. */
export const splitPattern = (pattern: string) => pattern.trim().split(/\s+/)

/** Whether a command matches the pattern of an `allow` exactly. An unknown word never matches. */
export function matchesExactly(pattern: string[], words: Word[]): boolean {
  const isOpen = pattern.at(-1) === '**'
  const expected = isOpen ? pattern.slice(0, -1) : pattern
  if (isOpen ? words.length < expected.length : words.length !== expected.length) return false
  if (words.includes(null)) return false
  return expected.every((each, at) => matchesGlob(each, words[at]!))
}

/**
 * Whether a command matches the pattern of an `ask` or `deny`: it starts with the words of the pattern, with any options
 * between them and any words after them. The program can be called with any path.
 */
export function startsWithPattern(pattern: string[], words: Word[]): Match {
  const [program, ...rest] = words
  if (program == null) return 'perhaps'
  const match = startsWithWords(pattern, [program, ...rest])
  // On a case-insensitive file system, `GIT` is `git`.
  const lowerCaseProgram = program.toLowerCase()
  return match === 'no' && lowerCaseProgram !== program ? startsWithWords(pattern, [lowerCaseProgram, ...rest]) : match
}

function startsWithWords(pattern: string[], [program, ...rest]: [string, ...Word[]]): Match {
  const expected = pattern.at(-1) === '**' ? pattern.slice(0, -1) : pattern
  const name = nameInPattern(expected, program)
  const match = matchWords(expected, [name, ...rest])
  // `git-push` is `git push`.
  return match === 'no' && name.includes('-') ? matchWords(expected, [...name.split('-'), ...rest]) : match
}

/** A pattern with a path names a program by its path, another one by its name. */
const nameInPattern = ([first = '']: string[], program: string) => (first.includes('/') ? program : programOf(program))

/** Whether a word can be the program of a pattern. Most words are not, which this notices without a copy of the command. */
function canStart(pattern: string[], word: string): boolean {
  const name = nameInPattern(pattern, word)
  return matchesGlob(pattern[0]!, name) || (name.includes('-') && matchesGlob(pattern[0]!, name.split('-', 1)[0]!))
}

function matchWords(expected: string[], words: Word[]): Match {
  if (expected.length === 0) return 'yes'
  if (words[0] == null || !matchesGlob(expected[0]!, words[0])) return 'no'
  let at = 1
  for (const each of expected.slice(1)) {
    for (;;) {
      if (at >= words.length) return 'no'
      const word = words[at]!
      if (word === null) return 'perhaps'
      if (matchesGlob(each, word)) break
      // An option, or its value.
      const isAfterOption = at > 1 && words[at - 1]?.startsWith('-')
      if (!word.startsWith('-') && !isAfterOption) return 'no'
      at++
    }
    at++
  }
  return 'yes'
}

/** The longest compared command, in words. Without it, a long script would take quadratic time. */
const maxComparedWords = 200

/** Whether the words of a pattern occur anywhere in a script that cannot be parsed. */
export function occursWithin(pattern: string[], possibleWords: string[]): boolean {
  return possibleWords.some(
    (word, from) =>
      canStart(pattern, word) &&
      startsWithWords(pattern, [word, ...possibleWords.slice(from + 1, from + maxComparedWords)]) === 'yes',
  )
}
