/**
 * The keywords for the demo model: `demo:word` or `demo:word=value` anywhere in the last user message. Everything is
 * deterministic, so that demos, tests and benchmarks need no other model.
 */
export type DemoOptions = {
  /** Sends reasoning before the response. */
  reasoning: boolean
  /** Calls the first tool of the request, with arguments made up from its schema. */
  tool: boolean
  /** Calls every tool of the request at once. */
  tools: boolean
  /** Fails with this status before the first byte. */
  errorStatus: number | undefined
  /** Fails after the first words, with an error in the stream. */
  break: boolean
  /** Drops the connection after the first words. */
  cut: boolean
  /** Sends nothing after the first words, but keeps the connection open. */
  stall: boolean
  firstWordDelayMs: number
  /** The pause between words. */
  wordDelayMs: number
  wordCount: number | undefined
  /** Ends with the finish reason `length`. */
  endsWithLength: boolean
  /** Does not report usage. */
  omitsUsage: boolean
}

/** The limits of the time and the length of a response. */
const maxFirstWordDelayMs = 600_000
const maxWordDelayMs = 60_000
const maxWords = 100_000

const keywordPattern = /\bdemo:([a-z]+)(?:=(\d+))?/g

export const hasKeyword = (prompt: string): boolean => prompt.search(keywordPattern) !== -1

export function readDemoOptions(prompt: string): DemoOptions {
  const values = new Map(
    [...prompt.matchAll(keywordPattern)].map(([, word = '', value]) => [word, Number(value ?? Number.NaN)]),
  )
  const number = (word: string): number | undefined => {
    const value = values.get(word)
    return value === undefined || Number.isNaN(value) ? undefined : value
  }
  return {
    reasoning: values.has('reasoning'),
    tool: values.has('tool'),
    tools: values.has('tools'),
    errorStatus: values.has('error') ? (number('error') ?? 500) : undefined,
    break: values.has('break'),
    cut: values.has('cut'),
    stall: values.has('stall'),
    firstWordDelayMs: Math.min(number('slow') ?? 0, maxFirstWordDelayMs),
    wordDelayMs: Math.min(number('pace') ?? 0, maxWordDelayMs),
    wordCount: number('words') === undefined ? undefined : Math.min(number('words')!, maxWords),
    endsWithLength: values.has('length'),
    omitsUsage: values.has('nousage'),
  }
}
