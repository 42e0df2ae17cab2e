import type { Chunk, Delta, ToolCallDelta } from '#chat/chunk.ts'
import type { AnswerEvent } from '#chat/events.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import type { ToolCallPiece, UpstreamEvent } from '../../protocol/tool-calls/piece.ts'
import { codeOfError, messageOfError, noMessage } from '../error-code.ts'
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
/** Streams of Groq have the usage in `x_groq`, too, and those of Moonshot in the choice. */
type WithUsage = {
  usage?: UpstreamUsage | null
  x_groq?: { usage?: UpstreamUsage } | null
  choices?: { usage?: UpstreamUsage | null }[]
  service_tier?: string | null
}
type UpstreamDelta = ChatContent & Omit<Delta, keyof ChatContent> & { audio?: unknown }
/** Some servers say it in a word. */
type UpstreamError = { error?: string | { message?: string; code?: unknown } }
export type Completion = UpstreamError &
  Sources &
  WithUsage & {
    id?: string
    model?: string
    choices?: { message?: UpstreamDelta; finish_reason?: string | null }[]
  }

/** Reads one stream. Citations beside the message may be repeated in every event. */
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
  const choice = chunk.choices?.[0]
  if (choice) {
    if (choice.delta?.role) events.push({ type: 'started', id: chunk.id ?? '', model: chunk.model ?? '' })
    readDelta(choice.delta ?? {}, events, chunk.id)
    if (choice.finish_reason && !chunk.error) events.push(finishEvent(choice.finish_reason))
  }
  return events
}

/** A whole answer. */
export function readCompletion(completion: Completion): UpstreamEvent[] {
  if (completion.error) return [errorEvent(completion.error)]
  const choice = completion.choices?.[0]
  if (!choice) throw new Error('the answer has no choices')
  const events: UpstreamEvent[] = [{ type: 'started', id: completion.id ?? '', model: completion.model ?? '' }]
  const calls = choice.message?.tool_calls?.map((call, index) => ({ ...call, index }))
  readDelta({ ...choice.message, ...(calls && { tool_calls: calls }) }, events, completion.id)
  events.push(...sourcesIn(completion), finishEvent(choice.finish_reason || 'stop'))
  return [...events, ...usageEvents(completion, new OpenaiUsage(chatSpellings))]
}

function readDelta(delta: UpstreamDelta, events: UpstreamEvent[], answerId: string | undefined): void {
  readContent(delta, events)
  if (delta.refusal) events.push({ type: 'refusal', text: delta.refusal })
  for (const call of delta.tool_calls ?? []) events.push(callPiece(call, answerId))
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

function errorEvent(told: NonNullable<UpstreamError['error']>): AnswerEvent {
  const error = typeof told === 'string' ? { message: told } : told
  const status = Number((error as { code?: unknown }).code)
  return {
    type: 'error',
    message: messageOfError(error) ?? noMessage,
    status: status >= 400 && status < 600 ? status : undefined,
    code: codeOfError(error),
  }
}

function usageEvents(answer: WithUsage, read: OpenaiUsage): AnswerEvent[] {
  const usage = answer.usage ?? answer.choices?.[0]?.usage ?? answer.x_groq?.usage
  if (!usage) return []
  const searches = (usage.server_tool_use ?? usage.server_tool_use_details)?.web_search_requests
  const pieces = { web_search: searches ?? usage.num_search_queries }
  return read.read(usage, { pieces, serviceTier: answer.service_tier }, Boolean(answer.usage))
}
