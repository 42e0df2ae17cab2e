/** The most repetitions in a grammar of llama.cpp. */
const maxRepetitions = 2000

const lengthKeywords: ReadonlySet<string> = new Set(['minLength', 'maxLength', 'minItems', 'maxItems'])

/** Matches classes, assertions and lookaround, which llama.cpp's grammars do not have, and anchors within the pattern. */
const unsupportedPattern = /\\[a-zA-Z0-9]|\(\?|.\^|(?<!\\)\$./s

/** Whether llama.cpp can translate a bound of a schema to a grammar. It refuses the request otherwise. */
export function isAcceptedInGrammar(keyword: string, value: unknown): boolean {
  if (lengthKeywords.has(keyword)) return typeof value !== 'number' || value <= maxRepetitions
  if (keyword !== 'pattern' || typeof value !== 'string') return true
  return /^\^.*\$$/s.test(value) && !unsupportedPattern.test(value.replaceAll('[^', '['))
}
