import type { TextCallFormatName } from '#catalogue/index/model.ts'
import { isObject } from '#platform/core/is-object.ts'
import { JsonExtent } from '#platform/core/json-extent.ts'
import { parseJsonOr } from '#platform/core/parse-json.ts'
import { parseExactly } from '#platform/json/json-text/exact-numbers.ts'
import { readPythonCalls, startsPythonCalls } from './python-calls.ts'
import type { TextCall } from './text-call.ts'

/** How the template of a model writes calls of tools into the text. */
export type TextCallFormat = {
  /** The mark before a block of calls. */
  opening: string
  /** The mark after a block. Without it, a block ends with the response. */
  closing?: string
  /** Whether a response that starts with this text is a block without a mark. Undefined if the next characters decide that. */
  startsBare?: (text: string, toolNames: ReadonlySet<string>) => boolean | undefined
  /** The calls in a block; undefined if it contains anything else. */
  readCalls: (block: string) => TextCall[] | undefined
}

export const textCallFormats: Record<TextCallFormatName, TextCallFormat> = {
  // Hermes, Qwen 2.5 and 3: <tool_call>{"name": "read", "arguments": {…}}</tool_call>
  hermes: { opening: '<tool_call>', closing: '</tool_call>', readCalls: readObjects },
  // Llama 3: <|python_tag|>{"name": "read", "parameters": {…}}; {…}<|eom_id|>, or the objects alone.
  llama3: {
    opening: '<|python_tag|>',
    startsBare: (text) => text.startsWith('{'),
    readCalls: (block) => readObjects(block.replace(/<\|e(?:om|ot)_id\|>\s*$/, '')),
  },
  // Mistral: [TOOL_CALLS][{"name": "read", "arguments": {…}}], or [TOOL_CALLS]read[ARGS]{…} for each call.
  mistral: { opening: '[TOOL_CALLS]', readCalls: readMistralCalls },
  // Llama 3.2 and 4: [read(path="a"), write(path="b")], or the same in <|python_start|>…<|python_end|>.
  pythonic: {
    opening: '<|python_start|>',
    closing: '<|python_end|>',
    startsBare: startsPythonCalls,
    readCalls: readPythonCalls,
  },
}

/** Calls as objects or lists of objects, which can be separated by a comma or a semicolon. */
function readObjects(block: string): TextCall[] | undefined {
  const calls: TextCall[] = []
  let rest = block.trim()
  while (rest !== '') {
    const end = new JsonExtent().push(rest)
    const value = parseJsonOr(rest.slice(0, end), undefined, parseExactly)
    const read = (Array.isArray(value) ? value : [value]).map(toCall)
    if (!read.every((call) => call !== undefined)) return undefined
    calls.push(...read)
    rest = rest.slice(end).replace(/^\s*[,;]?\s*/, '')
  }
  return calls.length > 0 ? calls : undefined
}

function toCall(value: unknown): TextCall | undefined {
  if (!isObject(value) || typeof value.name !== 'string') return undefined
  const { name, arguments: args = value.parameters ?? {} } = value
  return { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) }
}

/** The name of a call of Mistral, which its id can follow, before its arguments. */
const namedCall = /^\s*([\w.-]+)(?:\[CALL_ID\][\w-]*)?(?:\[ARGS\])?\s*(?=\{)/

function readMistralCalls(block: string): TextCall[] | undefined {
  const calls: TextCall[] = []
  for (const part of block.split('[TOOL_CALLS]')) {
    const [head, name] = namedCall.exec(part) ?? []
    const args = head === undefined ? '' : part.slice(head.length).trim()
    const read =
      name === undefined ? readObjects(part) : isObject(parseJsonOr(args, undefined)) && [{ name, arguments: args }]
    if (!read) return undefined
    calls.push(...read)
  }
  return calls
}
