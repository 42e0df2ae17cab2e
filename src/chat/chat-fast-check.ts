import { isObject } from '#platform/core/is-object.ts'
import { ChatRequest } from './chat-request.ts'

type Body = Record<string, unknown>

/**
 * Returns true for most valid chat requests, at a tenth of the cost of the schema. False means that the schema must
 * decide. Fields without an entry in `checks` are checked by their schema.
 */
export function passesChatFastCheck(body: unknown): body is Body {
  if (!isObject(body)) return false
  const { messages } = body
  if (!Array.isArray(messages) || messages.length === 0) return false
  for (const message of messages) if (!isMessage(message)) return false
  for (const name in body) if (name !== 'messages' && !isField(name, body[name])) return false
  return true
}

const { shape } = ChatRequest
const isText = (value: unknown) => typeof value === 'string'
const isNumber = (value: unknown) => value === null || Number.isFinite(value)
const isFlag = (value: unknown) => value === null || typeof value === 'boolean'
const isLimit = (value: unknown) => value === null || (Number.isSafeInteger(value) && (value as number) >= 1)

/** The fields that most requests have. */
const checks: { readonly [name in keyof typeof shape]?: (value: unknown) => boolean } = {
  model: isText,
  stream: isFlag,
  temperature: isNumber,
  top_p: isNumber,
  frequency_penalty: isNumber,
  presence_penalty: isNumber,
  max_tokens: isLimit,
  max_completion_tokens: isLimit,
}

function isField(name: string, value: unknown): boolean {
  // Unknown fields are valid.
  if (!Object.hasOwn(shape, name)) return true
  const field = name as keyof typeof shape
  const check = checks[field]
  return check ? check(value) : shape[field].safeParse(value).success
}

function isMessage(message: unknown): boolean {
  if (!isObject(message)) return false
  const { role, content, name } = message
  // The schema of a tool result has no name.
  if (name !== undefined && name !== null && !isText(name) && role !== 'tool') return false
  switch (role) {
    case 'system':
    case 'developer':
    case 'user':
      return isContent(content)
    case 'assistant':
      return (content === undefined || content === null || isContent(content)) && areToolCalls(message.tool_calls)
    case 'tool':
      return isContent(content) && isText(message.tool_call_id)
    default:
      return false
  }
}

function isContent(content: unknown): boolean {
  if (typeof content === 'string') return true
  if (!Array.isArray(content)) return false
  for (const part of content) if (!isPart(part)) return false
  return true
}

function isPart(part: unknown): boolean {
  if (!isObject(part) || !isText(part.type)) return false
  const { text } = part
  return text === undefined || text === null || isText(text)
}

function areToolCalls(calls: unknown): boolean {
  if (calls === undefined || calls === null) return true
  if (!Array.isArray(calls)) return false
  for (const call of calls) if (!isToolCall(call)) return false
  return true
}

function isToolCall(call: unknown): boolean {
  if (!isObject(call) || !isText(call.id)) return false
  const { type, function: called } = call
  if (type !== undefined && !isText(type)) return false
  return called === undefined || (isObject(called) && isText(called.name) && isText(called.arguments))
}
