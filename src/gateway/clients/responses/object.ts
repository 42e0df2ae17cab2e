import type { TokenCounts } from '#chat/events.ts'
import { Fault } from '#platform/core/fault.ts'
import { isDeeper } from '#platform/json/depth.ts'
import type { CostNote, ResponseHead } from '../../protocol/client-protocol.ts'
import type { Body } from '../../protocol/request-body.ts'

export type UrlCitation = { type: 'url_citation'; url: string; title: string; start_index: number; end_index: number }

export type FileCitation = { type: 'file_citation'; file_id: string; filename: string; index: number }
export type OutputTextPart = {
  type: 'output_text'
  text: string
  annotations: (UrlCitation | FileCitation)[]
  logprobs: []
}
export type RefusalPart = { type: 'refusal'; refusal: string }
export type TextPart = OutputTextPart | RefusalPart

type Status = 'in_progress' | 'completed' | 'incomplete'

export type MessageItem = { id: string; type: 'message'; status: Status; role: 'assistant'; content: TextPart[] }
export type ReasoningItem = {
  id: string
  type: 'reasoning'
  summary: { type: 'summary_text'; text: string }[]
  encrypted_content?: string
}
export type CallItem = {
  id: string
  type: 'function_call'
  status: Status
  call_id: string
  namespace?: string
  name: string
  arguments: string
}
export type CustomCallItem = {
  id: string
  type: 'custom_tool_call'
  status: Status
  call_id: string
  name: string
  input: string
}
/** A search for tools that the client runs. */
export type SearchItem = {
  id: string
  type: 'tool_search_call'
  execution: 'client'
  status: Status
  call_id: string
  /** Text if the model wrote no object. */
  arguments: object | string
}
export type ImageItem = { id: string; type: 'image_generation_call'; status: Status; result: string | null }
export type OutputItem = MessageItem | ReasoningItem | CallItem | CustomCallItem | SearchItem | ImageItem

export type ResponseState = {
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  output: OutputItem[]
  incomplete_details?: { reason: 'max_output_tokens' | 'content_filter' } | null
  error?: { code: string; message: string } | null
  usage?: object | null
  /** The service tier that the provider reported. */
  service_tier?: string
}

/** The response object: the settings of the request and the output so far. */
export function toResponseObject(
  { id, model, provider, createdSeconds, request = {} }: ResponseHead,
  state: ResponseState,
): object {
  return {
    id,
    object: 'response',
    created_at: createdSeconds,
    completed_at: null,
    background: false,
    error: null,
    incomplete_details: null,
    ...settingsWithDefaults(request),
    model,
    ...(provider !== undefined && { provider }),
    previous_response_id: null,
    store: false,
    usage: null,
    ...state,
  }
}

/** The settings of a request that its response repeats, with the default of each. */
const defaults: Body = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  frequency_penalty: 0,
  presence_penalty: 0,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: 'auto',
  temperature: null,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: null,
  truncation: 'disabled',
}

/** Deeper than any schema. Much deeper JSON cannot be written again. */
const maxDepth = 500

/** @throws Fault `invalid` if a setting that the response repeats is nested too deeply to be written. */
export function rejectDeepSettings(request: Body): void {
  for (const name in defaults) {
    if (isDeeper(request[name], maxDepth))
      throw new Fault('invalid', `${name}: is nested more than ${maxDepth} levels deep. Send a flatter one.`)
  }
}

/** The settings that a response repeats. */
export function settingsWithDefaults(request: Body): Body {
  const entries = Object.entries(defaults).map(([name, value]) => [name, request[name] ?? value])
  return { ...Object.fromEntries(entries), ...(request.user != null && { user: request.user }) }
}

export function toResponseUsage(tokens: TokenCounts, cost?: CostNote): object {
  return {
    input_tokens: tokens.prompt,
    input_tokens_details: {
      cached_tokens: tokens.cached,
      ...(tokens.cacheWritten > 0 && { cache_write_tokens: tokens.cacheWritten }),
    },
    output_tokens: tokens.completion,
    output_tokens_details: { reasoning_tokens: tokens.reasoning },
    total_tokens: tokens.prompt + tokens.completion,
    ...(cost && { cost: cost.costUsd }),
  }
}

type RawUsage = {
  input_tokens?: unknown
  input_tokens_details?: object | null
  output_tokens?: unknown
  output_tokens_details?: object | null
  total_tokens?: unknown
}

/** The usage of an upstream with the counts that clients require. Some servers omit them, or send null. */
export function completeUsage(usage: RawUsage): object {
  const { input_tokens: input, output_tokens: output, total_tokens: total } = usage
  return {
    ...usage,
    input_tokens_details: withCount(usage.input_tokens_details, 'cached_tokens'),
    output_tokens_details: withCount(usage.output_tokens_details, 'reasoning_tokens'),
    total_tokens: total ?? (Number(input) || 0) + (Number(output) || 0),
  }
}

function withCount(details: object | null | undefined, name: string): object {
  const count = (details as Body | null | undefined)?.[name]
  return typeof count === 'number' ? details! : { ...details, [name]: 0 }
}
