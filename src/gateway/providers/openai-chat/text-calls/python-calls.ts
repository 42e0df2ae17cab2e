import { PythonReader } from './python-reader.ts'
import type { TextCall } from './text-call.ts'

/** The marks at the end of a response of Llama. */
const endMarks = ['<|eom_id|>', '<|eot_id|>', '<|eom|>', '<|eot|>']
const toolName = /[A-Za-z_][\w.-]*/y
const argumentName = /[A-Za-z_]\w*/y

/** The start of a list of calls, also unfinished. */
const startOfCalls = /^\[\s*(?:([A-Za-z_][\w.-]*)\s*(\()?)?/
/** The longest start of a list up to its first parenthesis. It is read again with each piece of the text. */
const maxStartLength = 256

/**
 * Whether a text starts a list of calls of declared tools. A Markdown link or an array of values does not. Undefined if the next
 * characters decide that.
 */
export function startsPythonCalls(text: string, toolNames: ReadonlySet<string>): boolean | undefined {
  const start = text.slice(0, maxStartLength)
  const [found, name, parenthesis] = startOfCalls.exec(start) ?? []
  if (found !== undefined && name !== undefined && parenthesis !== undefined) return toolNames.has(name)
  return found === text && text.length < maxStartLength ? undefined : false
}

/**
 * Reads pythonic tool calls: `[get_weather(city="Paris", days=3), now()]`, or one call without the list. Undefined if
 * the text contains anything else, or arguments without a name. Takes linear time.
 */
export function readPythonCalls(block: string): TextCall[] | undefined {
  const reader = new PythonReader(withoutEndMark(block))
  const calls: TextCall[] = []
  const readCall = () => {
    const call = readPythonCall(reader)
    if (call) calls.push(call)
    return call !== undefined
  }
  const isValid = reader.skip('[') ? reader.readItems(']', readCall) : readCall()
  return isValid && reader.isAtEnd && calls.length > 0 ? calls : undefined
}

function readPythonCall(reader: PythonReader): TextCall | undefined {
  const name = reader.read(toolName)
  if (name === undefined || !reader.skip('(')) return undefined
  const fields: string[] = []
  const names = new Set<string>()
  const isValid = reader.readItems(')', () => {
    const key = reader.read(argumentName)
    const value = key !== undefined && !names.has(key) && reader.skip('=') ? reader.readValue() : undefined
    if (key === undefined || value === undefined) return false
    names.add(key)
    fields.push(`${JSON.stringify(key)}:${value}`)
    return true
  })
  return isValid ? { name, arguments: `{${fields.join(',')}}` } : undefined
}

function withoutEndMark(block: string): string {
  const text = block.trimEnd()
  const mark = endMarks.find((one) => text.endsWith(one))
  return mark === undefined ? text : text.slice(0, -mark.length).trimEnd()
}
