import { isObject } from '#platform/core/is-object.ts'
import { valueEnd } from '#platform/json/json-text/json-fields.ts'
import { lacksReasoning, lacksReasoningInText } from '../reasoning.ts'
import type { RawCall, RawChoice } from './raw-choice.ts'

/** Whether a choice of a whole response lacks fields that clients need, or has fields that clients reject. */
export function isIncomplete({ index, message }: RawChoice): boolean {
  if (typeof index !== 'number' || message?.role !== 'assistant') return true
  if (message.audio === null || message.tool_calls === null || message.images === null) return true
  if (isObject(message.content) || Array.isArray(message.content) || lacksReasoning(message)) return true
  return message.tool_calls?.some(lacksIdOrType) ?? false
}

const lacksIdOrType = ({ id, type, function: functionCall, custom }: RawCall) =>
  (functionCall?.name || custom) && !(id && type)

/** Whether a choice of an event must be rewritten. Searches the text, which works because quotes within strings are escaped. */
export function needsRewriteInChoice(text: string): boolean {
  // Only an event without choices is complete without a delta and a finish reason.
  if (!text.includes('"delta"')) return !text.includes('"choices":[]')
  // Servers that repeat the whole message, and calls in the predecessor of `tool_calls`.
  if (/"(?:message|function_call)"\s*:\s*\{/.test(text)) return true
  if (!text.includes('"finish_reason":null') && !/"finish_reason"\s*:\s*(?:"[^"]|null)/.test(text))
    return !text.includes('"choices":[]')
  return needsRewriteInMessage(text)
}

/** Whether the content is a list of parts or one part. Only the first `content` is checked: logprobs also contain `content`. */
function hasContentParts(text: string): boolean {
  const at = text.indexOf('"content"')
  if (at === -1) return false
  partListPattern.lastIndex = at + '"content"'.length
  return partListPattern.test(text)
}

/** An object, or a list that is neither empty nor the tokens of logprobs. */
const partListPattern = /\s*:\s*(?:\{|\[(?!\s*(?:\{\s*"token"|\])))/y

function needsRewriteInMessage(text: string): boolean {
  if (
    hasContentParts(text) ||
    lacksReasoningInText(text) ||
    (text.includes('"role"') && otherRolePattern.test(text)) ||
    (text.includes('"audio"') && /"audio"\s*:\s*null/.test(text))
  )
    return true
  for (let at = text.indexOf(callsName); at !== -1; at = text.indexOf(callsName, at + 1))
    if (needsRewriteInCalls(text, at)) return true
  return false
}

/** A role that a response cannot have. Official clients also refuse null. */
const otherRolePattern = /"role"\s*:(?!\s*"assistant")/

const callsName = '"tool_calls"'

/** Whether the calls are null, or one with a name has no id or type. Other objects of the response have ids and types, too. */
function needsRewriteInCalls(text: string, at: number): boolean {
  openingPattern.lastIndex = at + callsName.length
  const openingMatch = openingPattern.exec(text)
  // `tool_calls` is also a finish reason.
  if (!openingMatch) return false
  if (openingMatch[1] === 'n') return true
  const calls = text.slice(openingPattern.lastIndex, valueEnd(text, openingPattern.lastIndex - 1))
  const names = countMatches(calls, /"name"\s*:/g)
  return (
    names > 0 && (countMatches(calls, /"id"\s*:\s*"[^"]/g) < names || countMatches(calls, /"type"\s*:\s*"/g) < names)
  )
}

const openingPattern = /\s*:\s*([n[])/y

const countMatches = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0
