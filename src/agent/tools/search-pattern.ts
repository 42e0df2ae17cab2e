/** A pattern as files are searched for it. */
export type SearchPattern = {
  /** Whether a line of these bytes can match. Cheap: most files are excluded by it. */
  canMatch: (bytes: Buffer) => boolean
  matches: (line: string) => boolean
}

/**
 * Plain text is searched for as such, anything else by an engine whose time is linear: the model writes the pattern.
 * @throws Error that says what is wrong with the pattern.
 */
export async function searchPattern(pattern: string, ignoreCase: boolean): Promise<SearchPattern> {
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
  // The letter ſ is an s in another case, and is not among the lower-case letters.
  const fold = (text: string) => text.toLowerCase().replaceAll('ſ', 's')
  const needles = literals.map(fold)
  return (bytes: Buffer) => {
    const text = fold(bytes.toString())
    return needles.some((needle) => text.includes(needle))
  }
}

/**
 * Texts of which each match of the pattern has one: the longest of each alternative. Undefined where an alternative has
 * none, or where the pattern has syntax that is not read here.
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
    if (token.startsWith('(')) depth++
    else if (token === ')') depth--
    else if (depth > 0) continue
    else if (token === '|') {
      endRun()
      literals.push(longest)
      longest = ''
    } else if (optional.test(token)) run = [...run].slice(0, -1).join('')
    else if (isLiteral(token)) {
      run += token.at(-1)
      continue
    }
    endRun()
  }
  endRun()
  literals.push(longest)
  return literals.every((literal) => literal.length >= 2) ? literals : undefined
}

/** Groups' heads, classes, escapes, counts, and single characters. */
const tokens = /\(\?(?::|P?<\w+>)|\(\??|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|\\.|\{\d*,?\d*\}|./gsu
/** Flags of groups, an open class, and escapes that stand for a character by its number or quote others. */
const unreadable = /^(?:\(\?|\[|\\[xpPQEuC0-9]|\\)$/
const optional = /^(?:[*?]|\{.*\})$/
const isLiteral = (token: string) => (token.length === 1 ? !/[.^$+()|[\]{}]/.test(token) : /^\\[^\w]$/u.test(token))
