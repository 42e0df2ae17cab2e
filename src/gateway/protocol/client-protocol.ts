import type { z } from 'zod'
import type { ChatRequest } from '#chat/chat-request.ts'
import type { AnswerEvent, TokenCounts } from '#chat/events.ts'
import type { ConversationField } from '#chat/fields/conversation-fields.ts'
import type { RequestFormat, Task } from '#platform/core/vocabulary.ts'
import type { Envelope } from '#platform/http/response/envelope.ts'
import type { PresetStyle } from '../presets/apply-preset.ts'
import type { PassthroughRewriter } from './passthrough-rewriter.ts'
import type { Body } from './request-body.ts'

/** A whole answer: JSON as text or bytes, or an object. */
export type WholeBody = string | Buffer | object

/** The id, model and provider that the client sees. */
export type AnswerHead = {
  id: string
  /** The catalogue's id of the model that answers. */
  model: string
  /** The display name of the provider. */
  provider?: string
  createdSeconds: number
  /** The client's body, for protocols whose answers repeat parts of the request. */
  request?: Body
}

type WriterOptions = {
  /** Whether the client requested a last chunk with the usage. */
  includeUsage: boolean
  /** The number of upstream events that the client has received already. */
  passedEvents?: number
}

/**
 * A protocol of clients: translates its requests to chat requests, and answer events to its answers. Each has a folder
 * in `clients/` and a line in `clients.ts`.
 */
export type ClientProtocol = {
  /** The upstream protocol whose bytes these clients can read; for a task such as embeddings, the name of the task. */
  protocol: RequestFormat
  /** The task of its requests; undefined for chats. A request for a task is also translated to a chat request. */
  task?: Task
  /** Whether each message has its own context, as each input of embeddings has. */
  hasSeparateContexts?: boolean
  /** Its API operation. */
  operation: Operation
  /** The field of its bodies with the conversation. */
  conversation: ConversationField
  /** The `api_type` in the records of such requests. */
  apiType: string
  /** Fields of its bodies for this service, in addition to the common ones (`service-only-fields.ts`). */
  serviceOnlyFields?: ReadonlySet<string>
  /** Selects the client's headers that an upstream of the same protocol gets. */
  upstreamHeaders?: (headers: RequestHeaders, request: HeadersRequest) => Record<string, string>
  /** Whether the headers show that the client uses this protocol. */
  isUsedBy?: (headers: RequestHeaders) => boolean
  /** Whether its clients can send their key in the header `x-api-key`. */
  acceptsApiKeyHeader?: boolean
  /** Additional headers of its answers. */
  answerHeaders?: (requestId: string) => Record<string, string>
  /** A fast check: true if a body is certainly valid. False is inconclusive, and the schema decides. */
  passesFastCheck?: (body: unknown) => body is Body
  /** Translates a body to a chat request. @throws Fault `invalid` for content without a counterpart. */
  toChat: (body: Body) => ChatRequest
  /** The fields of a body that have no counterpart in a chat request. */
  untranslated?: (body: Body) => string[]
  /** Describes how a preset fills in a body. */
  preset: PresetStyle
  /** Writes one streamed answer: text to send for each event, and for the end. */
  writer: (head: AnswerHead, options: WriterOptions) => StreamWriter
  /** The text of a keepalive. */
  keepalive: string
  /** The end of a passed-through stream: the upstream's own end mark is never passed on. */
  passThroughEnd: string
  /** Rewrites the upstream's own bytes where clients need other values. */
  rewriter?: (head: AnswerHead) => PassthroughRewriter
  /** Writes token counts in the form of its `usage`. */
  usageOf: (tokens: TokenCounts) => object
  /** Adds the cost to the upstream's event with the usage. */
  addCostToEvent: (raw: Buffer, cost: CostNote, options: Pick<WriterOptions, 'includeUsage'>) => string | Buffer
  /** Writes a whole answer from its events. */
  writeBody: (head: AnswerHead, events: AnswerEvent[], cost: CostNote | undefined) => object
  /** Whether answers are rewritten even if their bytes could be passed through. */
  rewritesAnswers?: boolean
  /** The form of errors before the answer; by default, the form of this service. */
  envelope?: Envelope
}

/** The request of forwarded headers. `isLimited`: whether a spending limit counts it. */
export type HeadersRequest = { body: Body; isLimited: boolean }

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

/** One operation of the API. `response` is the schema of a whole answer. */
type Operation = {
  /** Its name in the API's description. */
  id: string
  path: string
  summary: string
  description: string
  request: z.ZodObject
  /** The limit of items, members, arrays and objects of a long body, if it is not the usual one. */
  maxBodyParts?: number
  response: z.ZodType
  /** The schema of each event of a streamed answer; undefined if answers are never streamed. */
  events?: z.ZodType
  /** The schema of its errors, if it differs from the usual one of this service. */
  errorBody?: z.ZodType
}

/** The metered cost for the usage in the answer. `restated`: the billed counts, if they differ from the reported ones. */
export type CostNote = { costUsd: number; restated?: TokenCounts }

/** Writes one streamed answer. Each function returns the text to send. */
export type StreamWriter = {
  event: (event: AnswerEvent) => string
  /** Writes the end of a complete answer. */
  end: (cost: CostNote | undefined) => string
  /** Writes the end of an answer that broke off. */
  fail: (error: { code: number; message: string; metadata?: Record<string, unknown> }) => string
}
