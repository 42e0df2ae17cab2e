import { isObject } from '#platform/core/is-object.ts'
import type { Fields } from '../../with-fields.ts'

/** A response of a server's own API, in the fields of a completion. */
type NativeResponse = { message: Fields; reason?: unknown; usage?: unknown }
type NativeApi = {
  /** The servers that send it. Only for the reader of this file. */
  servers: string
  read: (body: Fields) => NativeResponse | undefined
}

/** Native response formats that some servers, or proxies in front of those servers, send even for a chat completion request. */
const nativeApis: NativeApi[] = [
  {
    servers: 'Ollama',
    read: ({ done, done_reason, message, response, thinking, prompt_eval_count, eval_count }) => {
      if (typeof done !== 'boolean' || !(isObject(message) || typeof response === 'string')) return undefined
      const responseMessage = isObject(message) ? message : { content: response, thinking }
      const usage = { prompt_tokens: prompt_eval_count, completion_tokens: eval_count }
      return {
        message: responseMessage,
        ...(done && { reason: done_reason ?? 'stop', ...(eval_count != null && { usage }) }),
      }
    },
  },
  {
    servers: 'Cloudflare',
    read: ({ response, tool_calls, usage }) => {
      if ((response === undefined && !Array.isArray(tool_calls)) || isEnvelope(response)) return undefined
      const content = response == null || typeof response === 'string' ? response : JSON.stringify(response)
      return { message: { content, ...(Array.isArray(tool_calls) && { tool_calls }) }, usage }
    },
  },
  {
    servers: 'text-generation-inference',
    read: ({ token, generated_text, details }) => {
      const reason = isObject(details) ? details.finish_reason : undefined
      if (isObject(token)) return { message: { content: token.special === true ? '' : token.text }, reason }
      return typeof generated_text === 'string' ? { message: { content: generated_text }, reason } : undefined
    },
  },
  {
    servers: 'llama.cpp',
    read: ({ content, stop, stop_type, tokens_evaluated, tokens_predicted }) => {
      if (typeof content !== 'string' || typeof stop !== 'boolean') return undefined
      if (!stop) return { message: { content } }
      const usage = { prompt_tokens: tokens_evaluated, completion_tokens: tokens_predicted }
      return { message: { content }, reason: stop_type === 'limit' ? 'length' : 'stop', usage }
    },
  },
  {
    servers: 'Bedrock',
    read: ({ output, stopReason, usage }) => {
      const message = isObject(output) ? output.message : undefined
      if (!isObject(message) || !Array.isArray(message.content)) return undefined
      return { message: { content: message.content.map(convertBedrockPart) }, reason: stopReason, usage }
    },
  },
  {
    servers: 'DashScope',
    read: ({ output, text = isObject(output) ? output.text : undefined, finish_reason, usage }) => {
      if (typeof text !== 'string') return undefined
      return { message: { content: text }, reason: finish_reason ?? (isObject(output) && output.finish_reason), usage }
    },
  },
  {
    servers: 'watsonx',
    read: ({ results }) => {
      const [first] = Array.isArray(results) ? results : []
      if (!isObject(first) || typeof first.generated_text !== 'string') return undefined
      const usage = { prompt_tokens: first.input_token_count, completion_tokens: first.generated_token_count }
      return { message: { content: first.generated_text }, reason: first.stop_reason, usage }
    },
  },
  {
    servers: 'Anthropic, in text completions',
    read: ({ completion, stop_reason }) =>
      typeof completion === 'string' ? { message: { content: completion }, reason: stop_reason } : undefined,
  },
  {
    servers: 'Replicate',
    read: ({ output, status }) => {
      const isText = Array.isArray(output) && output.length > 0 && output.every((piece) => typeof piece === 'string')
      return isText && typeof status === 'string' ? { message: { content: output.join('') } } : undefined
    },
  },
  {
    servers: 'agents of Databricks',
    read: ({ messages, choices }) => {
      const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined
      const isResponse = choices === undefined && isObject(last) && last.role === 'assistant'
      return isResponse ? { message: { ...last, id: undefined } } : undefined
    },
  },
  {
    servers: 'Cohere, as events',
    read: ({ type, index, delta }) => {
      if (typeof type !== 'string' || !cohereEvents.test(type) || !isObject(delta)) return undefined
      const { content, tool_plan, tool_calls: call } = isObject(delta.message) ? delta.message : ({} as Fields)
      const { text, thinking = tool_plan } = isObject(content) ? content : ({} as Fields)
      const message = {
        content: text,
        reasoning: thinking,
        ...(isObject(call) && { tool_calls: [{ index, ...call }] }),
      }
      return { message, reason: delta.finish_reason, usage: delta.usage }
    },
  },
  {
    servers: 'Cohere, and servers that send the message alone',
    read: ({ message, role, content, finish_reason, usage, ...other }) => {
      // Events of other protocols have a type.
      if ('type' in other) return undefined
      const isMessage = role === 'assistant' && content !== undefined
      if (!isMessage && !(isObject(message) && message.role === 'assistant')) return undefined
      return { message: isMessage ? { role, content, ...other } : (message as Fields), reason: finish_reason, usage }
    },
  },
]

const cohereEvents = /^(?:message|content|tool-plan|tool-call)-(?:start|delta|end)$/

/** A whole response or an event of a server's own API as a completion or chunk. Undefined for other responses. */
export function readNativeResponse(body: unknown, field: 'delta' | 'message'): object | undefined {
  const response = Array.isArray(body) && body.length === 1 ? body[0] : body
  if (!isObject(response) || response.error || response.errors || response.type === 'error') return undefined
  for (const { read } of nativeApis) {
    const nativeResponse = read(response)
    if (!nativeResponse) continue
    const { message, reason, usage } = nativeResponse
    const missingReason = field === 'message' ? 'stop' : null
    const finish_reason = typeof reason === 'string' ? reason : missingReason
    return { choices: [{ index: 0, [field]: message, finish_reason }], ...(usage != null && { usage }) }
  }
  return undefined
}

function convertBedrockPart(part: unknown): unknown {
  const { text, toolUse, reasoningContent } = isObject(part) ? part : ({} as Fields)
  if (isObject(toolUse))
    return { type: 'tool_use', id: toolUse.toolUseId, name: toolUse.name, input: toolUse.input ?? {} }
  const thought = isObject(reasoningContent) ? reasoningContent.reasoningText : undefined
  if (isObject(thought)) return { type: 'thinking', thinking: thought.text }
  return typeof text === 'string' ? { type: 'text', text } : part
}

/** Whether an object is a response of an API, and not the JSON that the model wrote. */
const isEnvelope = (response: unknown) =>
  isObject(response) && ['choices', 'candidates', 'output', 'message'].some((name) => name in response)
