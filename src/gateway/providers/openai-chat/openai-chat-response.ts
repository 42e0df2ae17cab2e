import type { Chunk, ChunkChoice, Delta, ToolCallDelta } from '#chat/chunk.ts'
import type { CompletionEvent } from '#chat/events.ts'
import { parseWithExactArguments } from '#chat/fields/arguments-fields.ts'
import { pushAll } from '#platform/core/push-all.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import { argumentsText, type ToolCallFragment, type UpstreamEvent } from '../../protocol/tool-calls/fragment.ts'
import { measureContent } from '../content-size.ts'
import { findException } from '../errors/error-body.ts'
import { defaultErrorMessage, errorWithoutResponse } from '../errors/error-event.ts'
import { readUnwrappedMessage } from '../errors/error-message.ts'
import { readErrorMetadata } from '../errors/error-metadata.ts'
import { readErrorStatus } from '../errors/error-status.ts'
import { chatUsageFormats, OpenaiUsage } from '../openai/openai-usage.ts'
import { type ChatContent, readContent } from './openai-chat-content.ts'
import { finishEvents } from './openai-chat-finish.ts'
import { readSignature } from './openai-chat-signatures.ts'
import { readSources, type Sources } from './openai-chat-sources.ts'
import { readUsageEvents, type WithUsage } from './openai-chat-usage.ts'

/** `function_call` is the predecessor of `tool_calls`. */
type UpstreamDelta = ChatContent &
  Omit<Delta, keyof ChatContent> & { audio?: unknown; function_call?: ToolCallDelta['function'] | null }
/** Some servers send the error as a string. */
type UpstreamError = { error?: string | { message?: string; code?: unknown } }
export type Completion = UpstreamError &
  Sources &
  WithUsage & {
    id?: string
    model?: string
    choices?: WholeChoice[]
  }
type WholeChoice = {
  message?: UpstreamDelta
  /** The response of a server that sends text completions instead of chat completions. */
  text?: string
  finish_reason?: string | null
  /** OpenRouter's error of this choice. */
  error?: Exclude<UpstreamError['error'], undefined> | null
}

/** Reads one stream. Every event can repeat the citations. */
export function createChatReader(): (event: SseEvent) => UpstreamEvent[] {
  let hasSources = false
  const usage = new OpenaiUsage(chatUsageFormats)
  return ({ data }) => {
    const event: unknown = parseWithExactArguments(data)
    // Google's chat server sends an error in a list.
    const chunk = (Array.isArray(event) ? (event[0] ?? {}) : event) as Partial<Chunk> & UpstreamError & Sources
    const content = readChunk(chunk)
    const events = [...content, ...readUsageEvents(chunk as WithUsage, usage, measureContent(content))]
    // Sources that a server sends as annotations are already among the content, so its lists of sources are skipped.
    hasSources ||= content.some(isCitation)
    if (hasSources || !(chunk.search_results || chunk.citations)) return events
    const sources = readSources(chunk)
    hasSources = sources.length > 0
    return [...sources, ...events]
  }
}

const isCitation = ({ type }: UpstreamEvent) => type === 'citation'

function readChunk(chunk: Partial<Chunk> & UpstreamError): UpstreamEvent[] {
  if (!Array.isArray(chunk.choices)) return chunk.error || isBareError(chunk) ? [toErrorEvent(chunk)] : []
  const events: UpstreamEvent[] = []
  const groqError = (chunk as WithUsage).x_groq?.error
  if (chunk.error) events.push(errorEvent(chunk.error))
  else if (typeof groqError === 'string' && groqError !== '') events.push(errorEvent(groqError))
  for (const choice of chunk.choices) pushAll(events, withChoice(choice.index, readChunkChoice(choice, chunk)))
  return events
}

function readChunkChoice(choice: ChunkChoice & WholeChoice, chunk: Partial<Chunk> & UpstreamError): UpstreamEvent[] {
  const { error, finish_reason: finishReason } = choice
  // Servers that do not generate in fragments send a whole response as the only event.
  const delta = choice.delta ?? readMessage(choice) ?? {}
  const events: UpstreamEvent[] = delta.role ? [{ type: 'started', id: chunk.id ?? '', model: chunk.model ?? '' }] : []
  pushAll(events, readDelta(delta, chunk.id))
  if (choice.delta && finishReason) pushAll(events, readWholeCalls(choice.message, chunk.id))
  if (error && !chunk.error) events.push(errorEvent(error))
  if (finishReason && !chunk.error && !error) pushAll(events, finishEvents(finishReason))
  return events
}

type BareError = {
  object?: unknown
  base_resp?: { status_code?: unknown } | null
  errors?: unknown
  type?: unknown
  message?: unknown
}

/** Whether an event is an error without the field `error`, as DashScope, MiniMax, SiliconFlow, vLLM and Bedrock send it. */
function isBareError(chunk: object): boolean {
  const { object, base_resp, errors, type, message } = chunk as BareError
  if (object === 'error' || 'code' in chunk || 'detail' in chunk || base_resp?.status_code) return true
  if (Array.isArray(errors) && errors.length > 0) return true
  if (typeof type === 'string' && /error/i.test(type) && typeof message === 'string') return true
  return findException(chunk) !== undefined
}

/** Whether MiniMax reports an error beside a message without content. */
function isEmptyFailure(completion: Completion, { message }: WholeChoice): boolean {
  const { base_resp } = completion as { base_resp?: { status_code?: unknown } | null }
  return Boolean(base_resp?.status_code) && !message?.content && !message?.tool_calls
}

function toErrorEvent(chunk: UpstreamError): CompletionEvent {
  return chunk.error ? errorEvent(chunk.error) : errorWithoutResponse(chunk, defaultErrorMessage)
}

/** Adds the number of a choice other than the first to its events. */
function withChoice(index: unknown, events: UpstreamEvent[]): UpstreamEvent[] {
  if (typeof index !== 'number' || index === 0) return events
  return events.map((event): UpstreamEvent => ({ ...event, choice: index }))
}

/** Reads a whole response. */
export function readCompletion(completion: Completion): UpstreamEvent[] {
  if (completion.error) return [errorEvent(completion.error)]
  const choices: readonly WholeChoice[] = completion.choices ?? []
  const [first] = choices
  if (first && isEmptyFailure(completion, first)) return [errorWithoutResponse(completion, defaultErrorMessage)]
  if (!first) return [errorWithoutResponse(completion, 'the response has no choices')]
  const content = readChoice(first, completion.id)
  const events: UpstreamEvent[] = [
    { type: 'started', id: completion.id ?? '', model: completion.model ?? '' },
    ...content,
    ...(content.some(isCitation) ? [] : readSources(completion)),
    ...readEnd(first),
  ]
  for (const [at, choice] of choices.entries())
    if (at > 0) pushAll(events, withChoice(at, [...readChoice(choice, completion.id), ...readEnd(choice)]))
  pushAll(events, readUsageEvents(completion, new OpenaiUsage(chatUsageFormats)))
  return events
}

function readEnd(choice: WholeChoice): CompletionEvent[] {
  const { error, finish_reason: native } = choice
  const message = choice.message ?? readMessage(choice)
  if (error) return [errorEvent(error)]
  const finish = finishEvents(native || 'stop')
  const events: CompletionEvent[] = finish.length > 0 ? finish : [{ type: 'finish', reason: 'stop', native: undefined }]
  const isSuccess = events.some((event) => event.type === 'finish' && contentReasons.has(event.reason))
  if (isSuccess && (typeof message !== 'object' || message === null)) throw new Error('the response has no message')
  return events
}

/** Finish reasons with which a response has content. */
const contentReasons: ReadonlySet<string> = new Set(['stop', 'tool_calls'])

function readChoice(choice: WholeChoice, responseId: string | undefined): UpstreamEvent[] {
  return readDelta(readMessage(choice) ?? {}, responseId)
}

function readMessage({ message, text }: WholeChoice): UpstreamDelta | undefined {
  return withCallIndexes(message) ?? (typeof text === 'string' ? { content: text } : undefined)
}

/** A whole message as a delta, in which calls have numbers. */
function withCallIndexes(message: UpstreamDelta | null | undefined): UpstreamDelta | undefined {
  const calls = listCalls(message).map((call, index) => ({ ...call, index }))
  return calls.length > 0 ? { ...message, tool_calls: calls } : (message ?? undefined)
}

/** Some servers repeat the whole message at the end of a stream. Other servers send its calls only in the last event. */
function readWholeCalls(message: UpstreamDelta | null | undefined, responseId: string | undefined): UpstreamEvent[] {
  return listCalls(message).map((call, at) => {
    const { text: whole, ...fragment } = toCallFragment(call, responseId)
    return { ...fragment, upstreamIndex: fragment.id ? undefined : at, whole, isClosed: true }
  })
}

/** The calls of a message. Some servers send null among them, or one call without a list. */
function listCalls(message: UpstreamDelta | null | undefined): ToolCallDelta[] {
  const { tool_calls: calls } = (message ?? {}) as { tool_calls?: unknown }
  if (Array.isArray(calls)) return calls.filter((call) => typeof call === 'object' && call !== null)
  return typeof calls === 'object' && calls !== null ? [calls as ToolCallDelta] : []
}

function readDelta(delta: UpstreamDelta, responseId: string | undefined): UpstreamEvent[] {
  const events: UpstreamEvent[] = readContent(delta)
  if (delta.refusal) events.push({ type: 'refusal', text: delta.refusal })
  const calls = listCalls(delta)
  for (const call of calls) events.push(toCallFragment(call, responseId))
  const signature = readSignature(delta)
  if (signature) events.push({ type: 'reasoning', text: '', ...signature })
  // Some servers send each call in both fields.
  if (delta.function_call && calls.length === 0)
    events.push(toCallFragment({ index: 0, function: delta.function_call }, responseId))
  if (delta.audio) pushAll(events, readSpeech(delta.audio, delta.content))
  return events
}

/** The events of speech. Its words are text for clients that cannot have speech. */
function readSpeech(audio: unknown, content: unknown): CompletionEvent[] {
  const { transcript } = audio as { transcript?: unknown }
  const hasWords = typeof transcript === 'string' && transcript !== '' && !content
  return [{ type: 'billed_piece', unit: 'audio' }, ...(hasWords ? [{ type: 'text' as const, text: transcript }] : [])]
}

function toCallFragment(call: ToolCallDelta, responseId: string | undefined): ToolCallFragment {
  const { index, id, custom } = call
  // Some servers send the function's fields directly in the call.
  const calledFunction = call.function ?? (custom ? undefined : (call as NonNullable<ToolCallDelta['function']>))
  const text = argumentsText(calledFunction?.arguments ?? custom?.input)
  return {
    type: 'call_fragment',
    upstreamIndex: index,
    id,
    name: calledFunction?.name ?? custom?.name,
    isNamePartial: canNameContinue(calledFunction?.name, text),
    text,
    responseId,
    signature: readSignature(call),
    ...(custom && { custom: true }),
  }
}

/**
 * Whether the next fragment can continue a name. Servers that send a name in several fragments send its arguments later. But many
 * servers send a whole name with empty arguments, so a name that the request declares is whole then.
 */
function canNameContinue(name: string | undefined, args: string | undefined): ToolCallFragment['isNamePartial'] {
  if (!name || args) return undefined
  return args === undefined ? true : 'if_undeclared'
}

function errorEvent(error: NonNullable<UpstreamError['error']>): CompletionEvent {
  return {
    type: 'error',
    message: readUnwrappedMessage(error) ?? defaultErrorMessage,
    status: readErrorStatus(error),
    ...readErrorMetadata(error),
  }
}
