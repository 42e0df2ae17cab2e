import type { ReasoningDetail } from './thoughts.ts'
import type { Usage } from './usage.ts'

/** Why a completion ended. Null before its end. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error'

/** A piece of a tool call. The first one has id and name, the others parts of the arguments. */
export type ToolCallDelta = {
  index: number
  id?: string
  type?: 'function' | 'custom'
  function?: { name?: string; arguments?: string }
  custom?: { name?: string; input?: string }
}

/** The additions of a chunk to the message. */
export type Delta = {
  role?: 'assistant'
  content?: string | null
  reasoning?: string
  /** The reasoning, with the data that the provider requires in a later turn. */
  reasoning_details?: ReasoningDetail[]
  refusal?: string
  tool_calls?: ToolCallDelta[]
  /** The predecessor of `tool_calls`, for clients that send `functions`. */
  function_call?: { name?: string; arguments: string }
  annotations?: Annotation[]
  audio?: { id: string; data: string }
  images?: { type: 'image_url'; image_url: { url: string } }[]
}

/** A citation, and the part of the text that it refers to. */
export type Annotation = {
  type: 'url_citation'
  url_citation: { url: string; title: string; start_index: number; end_index: number; content?: string }
}

export type ChunkChoice = {
  index: number
  delta: Delta
  finish_reason: FinishReason | 'function_call' | null
  logprobs?: unknown
}

/** A failure after the first byte. `code` is the HTTP status of the same failure before the first byte. */
export type StreamError = { code: number; message: string; metadata?: Record<string, unknown> }

/** One `data:` line of a streamed chat completion. The last one before `[DONE]` has the usage and no choices. */
export type Chunk = {
  id: string
  object: 'chat.completion.chunk'
  /** Unix time in seconds. */
  created: number
  model: string
  /** The display name of the provider. */
  provider?: string
  choices: ChunkChoice[]
  /** The service tier that the provider reported. */
  service_tier?: string
  usage?: Usage | null
  error?: StreamError
}
