import { jsonrepair } from 'jsonrepair'
import { fitToSchema } from './fit-schema.ts'

/** Longer answers are not repaired, because that would block other requests. */
const maxLength = 1_000_000

/** The first fenced block, which a cut answer may not close. */
const fenced = /```(?:json\w*)?[ \t]*\n([\s\S]*?)(?:\n[ \t]*```|$)/i

/**
 * Repairs JSON and fits it to the schema, if any. Valid JSON that fits, and text without JSON, are returned unchanged.
 */
export function healJson(text: string, schema?: unknown): string {
  if (text.length > maxLength) return text
  const read = parsed(text) ?? findJson(text)
  if (!read) return text
  const value = fitToSchema(read.value, schema)
  const whole = JSON.stringify(value)
  return read.exact && whole === JSON.stringify(read.value) ? text : whole
}

type Read = { value: unknown; exact: boolean }

function parsed(text: string): Read | undefined {
  try {
    return { value: JSON.parse(text), exact: true }
  } catch {
    return undefined
  }
}

/** Finds JSON within text: valid JSON before repairable JSON, the whole before a part. */
function findJson(text: string): Read | undefined {
  const inFence = fenced.exec(text)?.[1]
  const { whole, closed } = bracketed(inFence ?? text)
  for (const candidate of [inFence, closed, whole]) {
    const valid = parsed(candidate ?? '')
    if (isStructure(valid?.value)) return { value: valid?.value, exact: false }
  }
  for (const candidate of [whole, closed]) {
    const value = repair(candidate ?? '')
    // jsonrepair turns JSON that is followed by text into a list, which was not intended.
    if (isStructure(value) && Array.isArray(value) === candidate?.startsWith('[')) return { value, exact: false }
  }
  return undefined
}

const isStructure = (value: unknown) => typeof value === 'object' && value !== null

function repair(text: string): unknown {
  try {
    return JSON.parse(jsonrepair(text))
  } catch {
    return undefined
  }
}

/** The text from the first bracket to the end, and to the last closing bracket. */
function bracketed(text: string): { whole?: string; closed?: string } {
  const start = text.search(/[{[]/)
  if (start < 0) return {}
  const whole = text.slice(start)
  const end = Math.max(whole.lastIndexOf('}'), whole.lastIndexOf(']'))
  return { whole, closed: whole.slice(0, end + 1) }
}
