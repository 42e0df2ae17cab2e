import { parseJsonOr } from '#platform/core/parse-json.ts'

/** Longer arguments are not decoded, because that would block other requests. */
const maxDecoded = 1024 * 1024

export const startsObject = (text: string) => /^\s*\{/.test(text)

export const isEmptyObject = (text: string) => /^\s*\{\s*\}\s*$/.test(text)

const isWholeObject = (text: string) => /^\s*\{[\s\S]*\}\s*$/.test(text)

/** Whether two texts are the same JSON. White space between the tokens can differ. */
export function isSameJson(text: string, received: string): boolean {
  return text === received || (isSimilarInLength(text, received) && minify(text) === minify(received))
}

/** The JSON of an object within arguments that are a JSON string or a Markdown code block. */
export function findEncodedObject(text: string): string | undefined {
  if (text.length > maxDecoded) return undefined
  const inner = /^\s*"\s*\{/.test(text)
    ? parseJsonOr(text, undefined)
    : /^\s*```(?:json)?\s*(\{[\s\S]*)$/.exec(text)?.[1]
  const value = typeof inner === 'string' ? parseJsonOr(inner, undefined) : undefined
  return typeof value === 'object' && value !== null ? (inner as string) : undefined
}

/** Texts that some models and servers send for a call without arguments. */
const emptyArguments: ReadonlySet<string> = new Set(['', 'null', 'None', 'undefined', '[]', '""'])
export const meansNoArguments = (text: string) => emptyArguments.has(text.trim())

/**
 * The text of a fragment that follows the arguments so far, for servers that repeat the earlier arguments in later fragments. Undefined if the fragment
 * does not repeat them.
 * @param received the arguments so far, which are not complete. @param isInString whether they end within a string.
 */
export function findTextAfterRepetition(received: string, fragment: string, isInString: boolean): string | undefined {
  if (fragment.startsWith(received))
    return isRepetition(received, fragment, isInString) ? fragment.slice(received.length) : undefined
  // The last fragment of some streams of vLLM repeats all of the arguments with other white space.
  if (!isWholeObject(fragment) || !isSimilarInLength(fragment, received)) return undefined
  if (!isRepetition(received, fragment, isInString)) return undefined
  const minified = minify(received)
  const minifiedFragment = minify(fragment)
  return minifiedFragment.startsWith(minified) ? minifiedFragment.slice(minified.length) : undefined
}

/** Whether a fragment that starts with the same text as the arguments so far repeats them. Otherwise it continues them. */
function isRepetition(received: string, fragment: string, isInString: boolean): boolean {
  if (!startsObject(received)) return false
  // `{"a":` after `{"a":` can be a nested object. `{"a":1` after `{"a":1` repeats it, because no object can follow a value.
  if (!isInString) return !/[:,[]\s*$/.test(received)
  // The first quote of the fragment would end the open string. `{"a":"b` after `{"a":"b` repeats it, because `a` cannot follow
  // a string. `{":1}` after `{"` continues it: the name is `{`.
  const following = fragment.charAt(fragment.indexOf('"') + 1)
  return following !== '' && !/[\s:,}\]]/.test(following)
}

/** An allowance for white space between tokens, which can be most of a short text. */
const shortObjectSpace = 16

/** Texts of very different lengths are not compared, so that the work stays in proportion to the received text. */
const isSimilarInLength = (text: string, received: string) =>
  text.length <= 2 * received.length && received.length <= 2 * text.length + shortObjectSpace

/** JSON without the white space between its tokens. An alternation per character would overflow the stack in long strings. */
const minify = (json: string) => json.replace(/("[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$))|\s+/gs, '$1')
