import { jsonrepair } from 'jsonrepair'
import { isDeeper } from '#platform/json/depth.ts'
import { stringEnd } from '#platform/json/json-text/json-fields.ts'
import { fitToSchema } from './fit-schema.ts'
import { parseCutJson } from './parse-cut-json.ts'

/** Responses with more characters are not repaired, because that would block other requests. */
const maxLength = 1_000_000
/**
 * The longest JSON for `jsonrepair`, in characters. It needs quadratic time for text with many quotes: 9 to 30 ms for this
 * length. Longer JSON only gets a missing end.
 */
const maxRepairLength = 16_000

/** The deepest nesting that is repaired: V8 takes 100 ms to parse a million levels, and cannot write them. */
const maxDepth = 1000

/** The first fenced block, which a cut response may not close. */
const fencedBlock = /```(?:json\w*)?[ \t]*\n([\s\S]*?)(?:\n[ \t]*```|$)/i

/**
 * Repairs JSON and fits it to the schema, if any. Valid JSON that fits, and text without JSON, are returned unchanged.
 */
export function healJson(text: string, schema?: unknown): string {
  if (text.length > maxLength || isNestedDeeply(text)) return text
  const json = parseExact(text) ?? findJson(text)
  if (!json) return text
  const fittedText = JSON.stringify(fitToSchema(json.value, schema))
  return json.isWholeText && fittedText === JSON.stringify(json.value) ? text : fittedText
}

function isNestedDeeply(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length && depth <= maxDepth; at++) {
    const character = text[at]
    if (character === '"') at = stringEnd(text, at) - 1
    else if (character === '{' || character === '[') depth++
    else if (depth > 0 && (character === '}' || character === ']')) depth--
  }
  return depth > maxDepth
}

/** JSON that was found in a text. `isWholeText`: the text contains nothing else. */
type FoundJson = { value: unknown; isWholeText: boolean }

function parseExact(text: string): FoundJson | undefined {
  const value = parseSafely(() => JSON.parse(text))
  return value === undefined ? undefined : { value, isWholeText: true }
}

/** Returns undefined for an error, and for a value that is nested too deeply to be written. */
function parseSafely(parse: () => unknown): unknown {
  try {
    const value = parse()
    return isDeeper(value, maxDepth) ? undefined : value
  } catch {
    return undefined
  }
}

/**
 * Finds JSON within text. Prefers valid JSON to JSON that needs a repair. Repairs the text to its end first, because its last
 * bracket can belong to an object within a cut response.
 */
function findJson(text: string): FoundJson | undefined {
  const inFence = fencedBlock.exec(text)?.[1]
  const { toEnd, toLastBracket } = findBracketed(inFence ?? text)
  for (const candidate of [inFence, toLastBracket, toEnd]) {
    const valid = parseExact(candidate ?? '')
    if (isStructure(valid?.value)) return { value: valid?.value, isWholeText: false }
  }
  for (const candidate of [toEnd, toLastBracket]) {
    const value = repair(candidate ?? '')
    // jsonrepair turns JSON that is followed by text into a list, which was not intended.
    if (isStructure(value) && Array.isArray(value) === candidate?.startsWith('[')) return { value, isWholeText: false }
  }
  return undefined
}

const isStructure = (value: unknown) => typeof value === 'object' && value !== null

function repair(text: string): unknown {
  return parseSafely(() => (text.length > maxRepairLength ? parseCutJson(text) : JSON.parse(jsonrepair(text))))
}

/** The text from the first bracket to the end, and to the last closing bracket. */
function findBracketed(text: string): { toEnd?: string; toLastBracket?: string } {
  const start = text.search(/[{[]/)
  if (start < 0) return {}
  const toEnd = text.slice(start)
  const end = Math.max(toEnd.lastIndexOf('}'), toEnd.lastIndexOf(']'))
  return { toEnd, toLastBracket: toEnd.slice(0, end + 1) }
}
