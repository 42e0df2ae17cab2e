import type { ReasoningDetail } from './thoughts.ts'
import type { Usage } from './usage.ts'

/** Why a completion ended. Null while it has not. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error'

/** A piece of a tool call: the first carries id and name, the later ones more of the arguments. */
export type ToolCallDelta = {
  index: number
  id?: string
  type?: 'function' | 'custom'
  function?: { name?: string; arguments?: string }
  custom?: { name?: string; input?: string }
}

/** A chunk's additions to the message. Members without an addition are absent. */
export type Delta = {
  role?: 'assistant'
  content?: string | null
  reasoning?: string
  /** The same with what its provider must see again on a later turn. */
  reasoning_details?: ReasoningDetail[]
  refusal?: string
  tool_calls?: ToolCallDelta[]
  annotations?: Annotation[]
  images?: { type: 'image_url'; image_url: { url: string } }[]
}

/** A source of what is said, and where of the message's text it is said. */
export type Annotation = {
  type: 'url_citation'
  url_citation: { url: string; title: string; start_index: number; end_index: number; content?: string }
}

export type ChunkChoice = {
  index: number
  delta: Delta
  finish_reason: FinishReason | null
  logprobs?: unknown
}

/** A failure after the first byte: `code` is the status it would have had before it. */
export type StreamError = { code: number; message: string; metadata?: Record<string, unknown> }

/** One `data:` line of a streamed chat completion; the last before `[DONE]` has no choices, and the usage. */
export type Chunk = {
  id: string
  object: 'chat.completion.chunk'
  /** Unix time in seconds. */
  created: number
  model: string
  /** The name of the provider that answers, for people. */
  provider?: string
  choices: ChunkChoice[]
  usage?: Usage | null
  error?: StreamError
}
