/** A compiled search pattern. */
type SearchPattern = {
  /** Returns whether a line in these bytes can match. This cheap test excludes most files. */
  canMatch: (bytes: Buffer) => boolean
  matches: (line: string) => boolean
}

/**
 * Compiles a pattern. Plain text is searched directly, other patterns by an engine with linear time, because the model
 * writes the pattern. @throws Error if the pattern is invalid.
 */
export async function compileSearchPattern(pattern: string, ignoreCase: boolean): Promise<SearchPattern> {
  if (!ignoreCase && /^[\w\s/'"`,:;=<>@#%&!~-]*$/.test(pattern))
    return { canMatch: contains([pattern]), matches: (line) => line.includes(pattern) }
  const { RE2JS } = await import('re2js')
  try {
    const compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    const literals = requiredLiterals(pattern)
    const canMatch = literals ? (ignoreCase ? containsFolded : contains)(literals) : () => true
    return { canMatch, matches: (line) => compiled.matcher(line).find() }
  } catch (error) {
    throw new Error(`The pattern is wrong: ${(error as Error).message}.`)
  }
}

function contains(literals: string[]) {
  const needles = literals.map((literal) => Buffer.from(literal))
  return (bytes: Buffer) => needles.some((needle) => bytes.includes(needle))
}

function containsFolded(literals: string[]) {
  // The letter ſ folds to s, but `toLowerCase` does not change it.
  const fold = (text: string) => text.toLowerCase().replaceAll('ſ', 's')
  const needles = literals.map(fold)
  return (bytes: Buffer) => {
    const text = fold(bytes.toString())
    return needles.some((needle) => text.includes(needle))
  }
}

/**
 * Finds a literal text for each alternative of the pattern, the longest one that every match of this alternative contains. A text
 * without any of these literals has no match.
 * @returns undefined if an alternative has no literal of at least two characters, or if the pattern has syntax that is not parsed.
 */
export function requiredLiterals(pattern: string): string[] | undefined {
  const literals: string[] = []
  let longest = ''
  let run = ''
  let depth = 0
  const endRun = () => {
    if (run.length > longest.length) longest = run
    run = ''
  }
  for (const [token = ''] of pattern.matchAll(tokens)) {
    if (unreadable.test(token)) return undefined
    if (token.startsWith('(')) {
      depth++
      endRun()
    } else if (token === ')') {
      depth--
      endRun()
    } else if (depth > 0) {
      // Literals within groups are not used, because the group can be optional or have alternatives.
    } else if (token === '|') {
      endRun()
      literals.push(longest)
      longest = ''
    } else if (optional.test(token)) {
      // The quantifier makes the previous character optional, not the whole run.
      run = [...run].slice(0, -1).join('')
      endRun()
    } else if (isLiteral(token)) {
      run += token.at(-1)
    } else {
      endRun()
    }
  }
  endRun()
  literals.push(longest)
  return literals.every((literal) => literal.length >= 2) ? literals : undefined
}

/** Matches group heads, classes, escapes, counts, and single characters. */
const tokens = /\(\?(?::|P?<\w+>)|\(\??|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|\\.|\{\d*,?\d*\}|./gsu
/** Matches syntax that is not parsed: group flags, an open class, escapes by character number, and quoting escapes. */
const unreadable = /^(?:\(\?|\[|\\[xpPQEuC0-9]|\\)$/
/**
 * Matches quantifiers that can make the previous character optional. A count such as `{2}` is not parsed and treated like
 * `{0,}`.
 */
const optional = /^(?:[*?]|\{.*\})$/
const isLiteral = (token: string) => (token.length === 1 ? !/[.^$+()|[\]{}]/.test(token) : /^\\[^\w]$/u.test(token))
