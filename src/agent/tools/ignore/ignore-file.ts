import { compileNamePattern, compilePathPattern } from './wildcard.ts'

/** One line of a file such as `.gitignore`. */
type Rule = { isNegated: boolean; matchesFoldersOnly: boolean; matches: (names: string[]) => boolean }

/** The rules of an ignore file, for names below its folder. The last rule that matches decides. */
export class IgnoreFile {
  readonly #rules: Rule[]

  constructor(text: string) {
    this.#rules = text.split('\n').flatMap((line) => parseRule(line) ?? [])
  }

  /** @returns undefined if no rule matches the entry. @param names the names in its path, from the file's folder */
  ignores(names: string[], isFolder: boolean): boolean | undefined {
    for (let at = this.#rules.length - 1; at >= 0; at--) {
      const rule = this.#rules[at] as Rule
      if ((isFolder || !rule.matchesFoldersOnly) && rule.matches(names)) return !rule.isNegated
    }
    return undefined
  }
}

function parseRule(line: string): Rule | undefined {
  let glob = line.replace(/\r$/, '').replace(/(?<!\\) +$/, '')
  if (glob === '' || glob.startsWith('#')) return undefined
  const isNegated = glob.startsWith('!')
  if (isNegated) glob = glob.slice(1)
  const matchesFoldersOnly = glob.endsWith('/')
  if (matchesFoldersOnly) glob = glob.slice(0, -1)
  if (glob === '') return undefined
  // A pattern with a slash matches a path from the file's folder, a pattern without a slash matches a name at any depth.
  if (glob.includes('/')) return { isNegated, matchesFoldersOnly, matches: compilePathPattern(glob.replace(/^\//, '')) }
  const matchesName = compileNamePattern(glob)
  return { isNegated, matchesFoldersOnly, matches: (names) => matchesName(names.at(-1) ?? '') }
}
