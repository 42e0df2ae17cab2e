import type { Chunk, Delta, ToolCallDelta } from '#chat/chunk.ts'
import type { AnswerEvent } from '#chat/events.ts'
import { pushAll } from '#platform/core/push-all.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import type { ToolCallPiece, UpstreamEvent } from '../../protocol/tool-calls/piece.ts'
import { factsOfError, messageOfError, noMessage } from '../error-code.ts'
import { chatSpellings, OpenaiUsage } from '../openai-usage.ts'
import type { UsageObject } from '../usage-spellings.ts'
import { type ChatContent, readContent } from './openai-chat-content.ts'
import { finishEvent } from './openai-chat-finish.ts'
import { type Sources, sourcesIn } from './openai-chat-sources.ts'

type UpstreamUsage = UsageObject & {
  server_tool_use?: { web_search_requests?: number } | null
  server_tool_use_details?: { web_search_requests?: number } | null
  num_search_queries?: number
}
/** Groq also reports usage in `x_groq`, Moonshot in the choice. */
type WithUsage = {
  usage?: UpstreamUsage | null
  x_groq?: { usage?: UpstreamUsage } | null
  choices?: { usage?: UpstreamUsage | null }[]
  service_tier?: string | null
}
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
type WholeChoice = { message?: UpstreamDelta; finish_reason?: string | null }

/** Reads one stream. Every event can repeat the citations. */
export function chatReader(): (event: SseEvent) => UpstreamEvent[] {
  let hasSources = false
  const usage = new OpenaiUsage(chatSpellings)
  return ({ data }) => {
    const chunk = JSON.parse(data) as Partial<Chunk> & UpstreamError & Sources
    const events = [...readChunk(chunk), ...usageEvents(chunk as WithUsage, usage)]
    if (hasSources || !(chunk.search_results || chunk.citations)) return events
    const sources = sourcesIn(chunk)
    hasSources = sources.length > 0
    return [...sources, ...events]
  }
}

function readChunk(chunk: Partial<Chunk> & UpstreamError): UpstreamEvent[] {
  const events: UpstreamEvent[] = []
  if (chunk.error) events.push(errorEvent(chunk.error))
  for (const choice of chunk.choices ?? []) {
    const own: UpstreamEvent[] = []
    // Servers that do not generate in pieces send a whole answer as the only event.
    const delta = choice.delta ?? numbered((choice as WholeChoice).message) ?? {}
    if (delta.role) own.push({ type: 'started', id: chunk.id ?? '', model: chunk.model ?? '' })
    readDelta(delta, own, chunk.id)
    if (choice.finish_reason && !chunk.error) own.push(finishEvent(choice.finish_reason))
    pushAll(events, ofChoice(choice.index, own))
  }
  return events
}

/** Adds the number of a choice other than the first to its events. */
function ofChoice(index: unknown, events: UpstreamEvent[]): UpstreamEvent[] {
  if (typeof index !== 'number' || index === 0) return events
  return events.map((event): UpstreamEvent => ({ ...event, choice: index }))
}

/** Reads a whole answer. */
export function readCompletion(completion: Completion): UpstreamEvent[] {
  if (completion.error) return [errorEvent(completion.error)]
  const choices = completion.choices ?? []
  const [first] = choices
  if (!first) throw new Error('the answer has no choices')
  const events: UpstreamEvent[] = [{ type: 'started', id: completion.id ?? '', model: completion.model ?? '' }]
  readChoice(first, events, completion.id)
  events.push(...sourcesIn(completion), finishEvent(first.finish_reason || 'stop'))
  for (let at = 1; at < choices.length; at++) {
    const choice = choices[at]!
    const own: UpstreamEvent[] = []
    readChoice(choice, own, completion.id)
    pushAll(events, ofChoice(at, [...own, finishEvent(choice.finish_reason || 'stop')]))
  }
  pushAll(events, usageEvents(completion, new OpenaiUsage(chatSpellings)))
  return events
}

function readChoice({ message }: WholeChoice, events: UpstreamEvent[], answerId: string | undefined): void {
  readDelta(numbered(message) ?? {}, events, answerId)
}

/** A whole message as a delta, in which calls have numbers. */
function numbered(message: UpstreamDelta | null | undefined): UpstreamDelta | undefined {
  const calls = message?.tool_calls?.map((call, index) => ({ ...call, index }))
  return calls ? { ...message, tool_calls: calls } : (message ?? undefined)
}

function readDelta(delta: UpstreamDelta, events: UpstreamEvent[], answerId: string | undefined): void {
  readContent(delta, events)
  if (delta.refusal) events.push({ type: 'refusal', text: delta.refusal })
  for (const call of delta.tool_calls ?? []) events.push(callPiece(call, answerId))
  if (delta.function_call) events.push(callPiece({ index: 0, function: delta.function_call }, answerId))
  if (delta.audio) events.push({ type: 'piece', unit: 'audio' })
}

function callPiece(
  { index, id, function: called, custom }: ToolCallDelta,
  answerId: string | undefined,
): ToolCallPiece {
  const text: unknown = called?.arguments ?? custom?.input
  return {
    type: 'call_piece',
    key: index,
    id,
    name: called?.name ?? custom?.name,
    text: typeof text === 'string' || text == null ? (text ?? undefined) : JSON.stringify(text),
    answerId,
    ...(custom && { custom: true }),
  }
}

function errorEvent(given: NonNullable<UpstreamError['error']>): AnswerEvent {
  const error = typeof given === 'string' ? { message: given } : given
  const status = Number((error as { code?: unknown }).code)
  return {
    type: 'error',
    message: messageOfError(error) ?? noMessage,
    status: status >= 400 && status < 600 ? status : undefined,
    ...factsOfError(error),
  }
}

function usageEvents(answer: WithUsage, read: OpenaiUsage): AnswerEvent[] {
  const usage = answer.usage ?? answer.choices?.[0]?.usage ?? answer.x_groq?.usage
  if (!usage) return []
  const searches = (usage.server_tool_use ?? usage.server_tool_use_details)?.web_search_requests
  const pieces = { web_search: searches ?? usage.num_search_queries }
  return read.read(usage, { pieces, serviceTier: answer.service_tier }, Boolean(answer.usage))
}
