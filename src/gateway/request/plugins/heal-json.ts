import { jsonrepair } from 'jsonrepair'
import { fitToSchema } from './fit-schema.ts'

/** Beyond this an answer is left as it is: mending takes time that other requests wait for. */
const longest = 1_000_000

/** The first fenced block, whatever stands around it; a cut answer may not close it. */
const fenced = /```(?:json\w*)?[ \t]*\n([\s\S]*?)(?:\n[ \t]*```|$)/i

/**
 * JSON as it was meant, fitted to the schema where there is one. Text that is right already comes back as it is, byte for
 * byte, and so does what no JSON can be seen in.
 */
export function healJson(text: string, schema?: unknown): string {
  if (text.length > longest) return text
  const read = parsed(text) ?? repaired(text)
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

/** The JSON among words: what is right as it stands before what can be mended, and all that is there before a part. */
function repaired(text: string): Read | undefined {
  const inFence = fenced.exec(text)?.[1]
  const { whole, closed } = bracketed(inFence ?? text)
  for (const candidate of [inFence, closed, whole]) {
    const right = parsed(candidate ?? '')
    if (isStructure(right?.value)) return { value: right?.value, exact: false }
  }
  for (const candidate of [whole, closed]) {
    const value = healed(candidate ?? '')
    // jsonrepair makes a list of JSON and the words behind it; that list was not meant.
    if (isStructure(value) && Array.isArray(value) === candidate?.startsWith('[')) return { value, exact: false }
  }
  return undefined
}

const isStructure = (value: unknown) => typeof value === 'object' && value !== null

function healed(text: string): unknown {
  try {
    return JSON.parse(jsonrepair(text))
  } catch {
    return undefined
  }
}

/** From the first bracket on: to the end, as the last one may be missing, and to the last that closes. */
function bracketed(text: string): { whole?: string; closed?: string } {
  const start = text.search(/[{[]/)
  if (start < 0) return {}
  const whole = text.slice(start)
  const end = Math.max(whole.lastIndexOf('}'), whole.lastIndexOf(']'))
  return { whole, closed: whole.slice(0, end + 1) }
}
