import type { Endpoint } from '#catalogue/model.ts'
import { answerLimitOf, type LimitName, nameLimit } from '#chat/answer-limit.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import type { Chunk, Delta, ToolCallDelta } from '#chat/chunk.ts'
import type { AnswerEvent } from '#chat/events.ts'
import { withoutThoughts } from '#chat/thoughts.ts'
import type { Body, Wire, WireRequest, WireTarget } from '../wire.ts'
import { chatOrders } from './openai-tools.ts'
import { withoutOurs } from './ours.ts'
import { effortOf, thinkingWish } from './reasoning-budget.ts'
import { usageEvents } from './token-counts.ts'

/** OpenAI chat completions, which most providers speak. */
export const openaiChat: Wire = {
  protocol: 'openai-chat',
  encode: request,
  passThrough: request,
  answerLimit: answerLimitOf,
  orders: chatOrders,
  reader: () => (event) => (event.data === '[DONE]' ? [] : readChunk(JSON.parse(event.data) as Partial<Chunk>)),
  readBody: (body) => readCompletion(body as Completion),
  errorMessage: (body) => (body as { error?: { message?: string } } | undefined)?.error?.message,
}

function request(body: Body, { endpoint, credential, stream }: WireTarget): WireRequest {
  const sent: Body = Object.assign(withoutOurs(body), {
    model: endpoint.upstreamModel,
    stream,
    stream_options: undefined,
  })
  nameLimit(sent, limitNameFor(endpoint))
  if (body.reasoning != null) Object.assign(sent, effortFor(body as ChatRequest))
  if (Array.isArray(body.messages)) sent.messages = body.messages.map(withoutThoughts)
  if (stream) sent.stream_options = { ...(body.stream_options as object), include_usage: true }
  return {
    path: '/chat/completions',
    headers: credential === undefined ? {} : { authorization: `Bearer ${credential}` },
    body: JSON.stringify(sent),
  }
}

/** `reasoning` is a word of this service; what most providers understand is the effort alone. */
function effortFor(chat: ChatRequest): Body {
  const wish = thinkingWish(chat)
  return { reasoning: undefined, ...(wish && { reasoning_effort: wish.enabled ? effortOf(wish) : 'none' }) }
}

/**
 * OpenAI's own later models know the new name of the limit only, most other providers the old one only, and a limit that
 * is not known is none.
 */
function limitNameFor({ upstreamModel, supportedParameters }: Endpoint): LimitName {
  const isNew = /^(?:o\d|gpt-[5-9])/.test(upstreamModel) || supportedParameters.includes('max_completion_tokens')
  return isNew ? 'max_completion_tokens' : 'max_tokens'
}

type WireUsage = {
  prompt_tokens?: number
  completion_tokens?: number
  prompt_tokens_details?: { cached_tokens?: number; cache_write_tokens?: number; audio_tokens?: number } | null
  completion_tokens_details?: { reasoning_tokens?: number; audio_tokens?: number; image_tokens?: number } | null
  server_tool_use?: { web_search_requests?: number } | null
  server_tool_use_details?: { web_search_requests?: number } | null
  num_search_queries?: number
}
/** `reasoning` and `reasoning_content` are two names for the same thing. */
type WireDelta = Delta & { reasoning_content?: string | null; images?: unknown; audio?: unknown }
type WireError = { error?: { message?: string; code?: unknown } }
type Completion = WireError & {
  id?: string
  model?: string
  usage?: WireUsage | null
  service_tier?: string | null
  choices?: { message?: WireDelta; finish_reason?: string | null }[]
}

function readChunk(chunk: Partial<Chunk> & WireError): AnswerEvent[] {
  const events: AnswerEvent[] = []
  if (chunk.error) events.push(errorEvent(chunk.error))
  const choice = chunk.choices?.[0]
  if (choice) {
    if (choice.delta?.role) events.push({ type: 'started', id: chunk.id ?? '', model: chunk.model ?? '' })
    readDelta(choice.delta ?? {}, events)
    if (choice.finish_reason && choice.finish_reason !== 'error') events.push(finish(choice.finish_reason))
  }
  if (chunk.usage) events.push(...usageIn(chunk.usage, (chunk as Completion).service_tier))
  return events
}

function readCompletion(completion: Completion): AnswerEvent[] {
  if (completion.error) return [errorEvent(completion.error)]
  const choice = completion.choices?.[0]
  if (!choice) throw new Error('the answer has no choices')
  const events: AnswerEvent[] = [{ type: 'started', id: completion.id ?? '', model: completion.model ?? '' }]
  const calls = choice.message?.tool_calls?.map((call, index) => ({ ...call, index }))
  readDelta({ ...choice.message, ...(calls && { tool_calls: calls }) }, events)
  events.push(finish(choice.finish_reason ?? 'stop'))
  if (completion.usage) events.push(...usageIn(completion.usage, completion.service_tier))
  return events
}

function readDelta(delta: WireDelta, events: AnswerEvent[]): void {
  const reasoning = delta.reasoning ?? delta.reasoning_content
  if (reasoning) events.push({ type: 'reasoning', text: reasoning })
  if (delta.content) events.push({ type: 'text', text: delta.content })
  if (delta.refusal) events.push({ type: 'refusal', text: delta.refusal })
  for (const call of delta.tool_calls ?? []) readCall(call, events)
  if (delta.audio) events.push({ type: 'piece', unit: 'audio' })
  if (Array.isArray(delta.images)) for (const _image of delta.images) events.push({ type: 'piece', unit: 'image' })
}

function readCall(call: ToolCallDelta, events: AnswerEvent[]): void {
  const index = call.index ?? 0
  if (call.function?.name) events.push({ type: 'tool_call', index, id: call.id ?? '', name: call.function.name })
  if (call.function?.arguments) events.push({ type: 'tool_arguments', index, text: call.function.arguments })
}

function finish(native: string): AnswerEvent {
  const known = native === 'length' || native === 'tool_calls' || native === 'content_filter'
  return { type: 'finish', reason: known ? native : native === 'function_call' ? 'tool_calls' : 'stop', native }
}

function errorEvent(error: { message?: string; code?: unknown }): AnswerEvent {
  const status = Number(error.code)
  return {
    type: 'error',
    message: error.message ?? 'the upstream failed',
    status: status >= 400 && status < 600 ? status : undefined,
  }
}

function usageIn(usage: WireUsage, serviceTier: string | null | undefined): AnswerEvent[] {
  const { prompt_tokens_details: ofPrompt, completion_tokens_details: ofCompletion } = usage
  const searches = (usage.server_tool_use ?? usage.server_tool_use_details)?.web_search_requests
  return usageEvents(
    {
      prompt: usage.prompt_tokens,
      completion: usage.completion_tokens,
      cached: ofPrompt?.cached_tokens,
      cacheWritten: ofPrompt?.cache_write_tokens,
      reasoning: ofCompletion?.reasoning_tokens,
      audioPrompt: ofPrompt?.audio_tokens,
      audioCompletion: ofCompletion?.audio_tokens,
      imageCompletion: ofCompletion?.image_tokens,
    },
    { pieces: { web_search: searches ?? usage.num_search_queries }, serviceTier },
  )
}
