import type { Endpoint } from '#catalogue/model.ts'
import { answerLimitOf, type LimitName, nameLimit } from '#chat/answer-limit.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { withChatThoughts } from '#chat/thoughts.ts'
import type { Body, EncodedRequest, ProtocolTarget, ProviderProtocol } from '../protocol.ts'
import { type Completion, chatReader, readCompletion } from './openai-chat-answer.ts'
import { plainChat } from './openai-chat-plain.ts'
import { chatBillable } from './openai-tools.ts'
import { withoutOwnFields } from './own-fields.ts'
import { effortOf, thinkingSetting } from './reasoning-budget.ts'

/** OpenAI chat completions, which most providers speak. */
export const openaiChat: ProviderProtocol = {
  protocol: 'openai-chat',
  encode: (chat, target) => request(plainChat(chat, target.endpoint), target),
  passThrough: request,
  answerLimit: answerLimitOf,
  billableOptions: chatBillable,
  // Tools that a provider runs are its own affair; one that is called with free text is known to the protocol.
  knowsTool: (tool) => tool.type === 'custom' && 'custom' in tool,
  reader: chatReader,
  readsEventsAlone: true,
  readBody: (body, answerId) => readCompletion(body as Completion, answerId),
  errorMessage: (body) => (body as { error?: { message?: string } } | undefined)?.error?.message,
}

function request(body: Body, { endpoint, credential, stream }: ProtocolTarget): EncodedRequest {
  const sent: Body = Object.assign(withoutOwnFields(body), {
    model: endpoint.upstreamModel,
    stream,
    stream_options: undefined,
  })
  nameLimit(sent, limitNameFor(endpoint))
  if (body.reasoning != null) Object.assign(sent, effortFor(body as ChatRequest))
  if (Array.isArray(body.messages))
    sent.messages = body.messages.map((message) => withChatThoughts(message, modelOf(endpoint)))
  if (stream) sent.stream_options = { ...(body.stream_options as object), include_usage: true }
  return {
    path: '/chat/completions',
    headers: credential === undefined ? {} : { authorization: `Bearer ${credential}` },
    body: JSON.stringify(sent),
  }
}

/** `reasoning` is a word of this service; what most providers understand is the effort alone. */
function effortFor(chat: ChatRequest): Body {
  const setting = thinkingSetting(chat)
  return { reasoning: undefined, ...(setting && { reasoning_effort: setting.enabled ? effortOf(setting) : 'none' }) }
}

/**
 * OpenAI's own later models know the new name of the limit only, most other providers the old one only, and a limit that
 * is not known is none.
 */
function limitNameFor({ upstreamModel, supportedParameters }: Endpoint): LimitName {
  const isNew = /^(?:o\d|gpt-[5-9])/.test(upstreamModel) || supportedParameters.includes('max_completion_tokens')
  return isNew ? 'max_completion_tokens' : 'max_tokens'
}

/** An endpoint is called `<model id>@<tag>`. */
function modelOf({ id }: Endpoint): string {
  return id.slice(0, id.lastIndexOf('@'))
}
