import { matchesGlob } from './glob.ts'
import type { Word } from './shell-words.ts'
import { programOf } from './wrapper-commands.ts'

/** `perhaps`: what decides it is known only when the command runs. */
export type Match = 'yes' | 'no' | 'perhaps'

/** The words of a pattern; `**` at its end stands for any further words. */
export const patternWords = (pattern: string) => pattern.trim().split(/\s+/)

/** Whether a command is exactly what may be done. A word that is not known is never what a pattern says. */
export function isExactly(pattern: string, words: Word[]): boolean {
  const wanted = patternWords(pattern)
  const open = wanted.at(-1) === '**'
  if (open) wanted.pop()
  if (open ? words.length < wanted.length : words.length !== wanted.length) return false
  if (words.includes(null)) return false
  return wanted.every((each, at) => matchesGlob(each, words[at]!))
}

/**
 * Whether a command does what is to be asked about or denied: it begins with the words of the pattern, whatever follows and
 * whatever options stand between them, and under whichever path the program is called.
 */
export function begins(pattern: string, words: Word[]): Match {
  const [program, ...rest] = words
  if (program == null) return 'perhaps'
  const found = beginsExactly(pattern, [program, ...rest])
  // Where names of files are one in any case, `GIT` is `git`.
  const lower = program.toLowerCase()
  return found === 'no' && lower !== program ? beginsExactly(pattern, [lower, ...rest]) : found
}

function beginsExactly(pattern: string, [program, ...rest]: [string, ...Word[]]): Match {
  const wanted = patternWords(pattern).filter((word) => word !== '**')
  const name = wanted[0]?.includes('/') ? program : programOf(program)
  const found = follows(wanted, [name, ...rest])
  // `git-push` is `git push`.
  return found === 'no' && name.includes('-') ? follows(wanted, [...name.split('-'), ...rest]) : found
}

function follows(wanted: string[], words: Word[]): Match {
  if (wanted.length === 0) return 'yes'
  if (words[0] == null || !matchesGlob(wanted[0]!, words[0])) return 'no'
  let at = 1
  for (const each of wanted.slice(1)) {
    for (;;) {
      if (at >= words.length) return 'no'
      const word = words[at]!
      if (word === null) return 'perhaps'
      if (matchesGlob(each, word)) break
      // An option, and perhaps its value.
      const isBehindOption = at > 1 && words[at - 1]?.startsWith('-')
      if (!word.startsWith('-') && !isBehindOption) return 'no'
      at++
    }
    at++
  }
  return 'yes'
}

/** Whether the words of a pattern stand together anywhere in a script that cannot be read. */
export function isWithin(pattern: string, loose: string[]): boolean {
  return loose.some((word, from) => beginsExactly(pattern, [word, ...loose.slice(from + 1, from + 200)]) === 'yes')
}
