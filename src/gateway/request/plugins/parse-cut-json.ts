import { isJson } from '#platform/json/json-text/is-json.ts'
import { stringEnd } from '#platform/json/json-text/json-fields.ts'

/**
 * Parses JSON whose end is missing, in linear time. A truncated string keeps its beginning; any other truncated item or
 * property is omitted.
 * @throws SyntaxError if the JSON has other errors.
 */
export function parseCutJson(text: string): unknown {
  const openBrackets: string[] = []
  /** The closing brackets after `end`, the last comma or opening bracket. */
  let closedSince: string[] = []
  let end = 0
  /** Whether the JSON ends within a string. */
  let isInString = false
  let at = 0
  while (at < text.length) {
    const character = text[at]!
    const next = character === '"' ? stringEnd(text, at) : at + 1
    isInString = character === '"' && next === text.length
    if (character === '{' || character === '[') openBrackets.push(character === '{' ? '}' : ']')
    else if (character === '}' || character === ']') closedSince.push(openBrackets.pop() ?? '')
    if (character === ',' || character === '{' || character === '[') {
      end = character === ',' ? at : next
      closedSince = []
    }
    at = next
  }
  const brackets = openBrackets.toReversed().join('')
  // The whole text with its last string closed, the whole text, and the text up to the last complete item or property.
  const candidates = [
    ...(isInString ? [`${text.replace(cutEscape, '$1')}"${brackets}`] : []),
    text + brackets,
    text.slice(0, end) + closedSince.toReversed().join('') + brackets,
  ]
  const valid = candidates.find(isJson)
  if (valid === undefined) throw new SyntaxError('The JSON has other errors than a missing end.')
  return JSON.parse(valid)
}

/** An escape at the end of a text that is not complete. */
const cutEscape = /(?<!\\)((?:\\\\)*)\\(?:u[\da-f]{0,3})?$/i
