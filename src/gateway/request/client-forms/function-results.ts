import { Fault } from '#platform/core/fault.ts'
import type { Body } from '../../protocol/request-body.ts'

type Call = { name?: unknown; arguments?: unknown }
type Message = {
  role?: unknown
  content?: unknown
  name?: unknown
  tool_calls?: unknown
  function_call?: unknown
} & Body

/**
 * Replaces messages of the role `function` and their calls in `function_call` by tool results and tool calls, which all
 * providers understand. A body without such messages is returned unchanged: calls without results are replaced only for
 * other protocols (`legacy-functions.ts`).
 * @throws Fault `invalid` for a result that does not follow a call of the same name.
 */
export function withToolResults(body: Body): Body {
  const { messages } = body
  if (!Array.isArray(messages) || !messages.some(isFunctionResult)) return body
  const replaced = [...(messages as Message[])]
  /** The position of the latest call, until its result. */
  let callAt: number | undefined
  for (const [at, message] of (messages as Message[]).entries()) {
    if (message?.role === 'assistant') callAt = calledFunction(message) ? at : undefined
    if (!isFunctionResult(message)) continue
    const call = callAt === undefined ? undefined : replaced[callAt]!
    const functionCall = call && calledFunction(call)
    if (!functionCall || functionCall.name !== message.name) throw missingCallFault(at)
    const id = `call_function_${callAt}`
    replaced[callAt!] = withToolCall(call, functionCall, id)
    replaced[at] = { role: 'tool', tool_call_id: id, content: message.content ?? '' }
    callAt = undefined
  }
  return { ...body, messages: replaced }
}

const isFunctionResult = (message: Message) => message?.role === 'function'

/** The function that a message calls, if it has no calls in `tool_calls`. */
function calledFunction({ function_call: functionCall, tool_calls: calls }: Message): Call | undefined {
  const hasCalls = Array.isArray(calls) && calls.length > 0
  return typeof functionCall === 'object' && functionCall !== null && !hasCalls ? functionCall : undefined
}

function withToolCall({ function_call: _, ...message }: Message, functionCall: Call, id: string): Message {
  const { name, arguments: text = '{}' } = functionCall
  const args = typeof text === 'string' ? text : JSON.stringify(text)
  return { ...message, tool_calls: [{ id, type: 'function', function: { name, arguments: args } }] }
}

function missingCallFault(at: number): Fault {
  const reason = 'a message with the role "function" must follow an assistant message with a function_call of its name'
  return new Fault('invalid', `Invalid request: messages.${at}: ${reason}. Use the role "tool" instead.`)
}
