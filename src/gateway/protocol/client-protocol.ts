import type { z } from 'zod'
import type { ChatRequest } from '#chat/chat-request.ts'
import type { CompletionEvent, TokenCounts } from '#chat/events.ts'
import type { ConversationField } from '#chat/fields/conversation-fields.ts'
import type { RequestFormat, Task } from '#platform/core/vocabulary.ts'
import type { Envelope } from '#platform/http/response/envelope.ts'
import type { PresetAdapter } from '../presets/apply-preset.ts'
import type { PassthroughRewriter } from './passthrough-rewriter.ts'
import type { Body } from './request-body.ts'

/** A whole response: JSON as text or bytes, or an object. */
export type WholeBody = string | Buffer | object

/** The id, model and provider that the client sees. */
export type ResponseHead = {
  id: string
  /** The catalogue's id of the model that answers. */
  model: string
  /** The display name of the provider. */
  provider?: string
  createdSeconds: number
  /** The client's body, for protocols whose responses repeat parts of the request. */
  request?: Body
}

type WriterOptions = {
  /** Whether the client requested a last chunk with the usage. */
  includeUsage: boolean
  /** The number of upstream events that the client has received already. */
  passedEvents?: number
}

/**
 * A client protocol: translates requests of clients to chat requests, and completion events to responses for clients. Each protocol
 * has a folder in `clients/` and a line in `client-protocols.ts`.
 */
export type ClientProtocol = {
  /** The upstream protocol whose bytes these clients can read; for a task such as embeddings, the name of the task. */
  protocol: RequestFormat
  /** The task of the requests; undefined for chats. A request for a task is also translated to a chat request. */
  task?: Task
  /** Whether each message has its own context, as each input of embeddings has. */
  hasSeparateContexts?: boolean
  /** The API operation of this protocol. */
  operation: Operation
  /** The field of a request body with the conversation. */
  conversation: ConversationField
  /** The `api_type` in the records of requests. */
  apiType: string
  /** Fields of a request body for this service, in addition to the common ones (`service-only-fields.ts`). */
  serviceOnlyFields?: ReadonlySet<string>
  /** Selects the client's headers that an upstream of the same protocol gets. */
  upstreamHeaders?: (headers: RequestHeaders, request: HeadersRequest) => Record<string, string>
  /** Whether the headers show that the client uses this protocol. */
  isUsedBy?: (headers: RequestHeaders) => boolean
  /** Whether clients can send their key in the header `x-api-key`. */
  acceptsApiKeyHeader?: boolean
  /** Additional headers of responses. */
  responseHeaders?: (requestId: string) => Record<string, string>
  /** A fast check: true if a body is certainly valid. False is inconclusive, and the schema decides. */
  isCertainlyValid?: (body: unknown) => body is Body
  /** Translates a body to a chat request. @throws Fault `invalid` for content without a counterpart. */
  toChat: (body: Body) => ChatRequest
  /** The fields of a body that have no counterpart in a chat request. */
  listUntranslatedFields?: (body: Body) => string[]
  /** Describes how a preset fills in a body. */
  preset: PresetAdapter
  /** Creates the writer of one streamed response. */
  createWriter: (head: ResponseHead, options: WriterOptions) => StreamWriter
  /** The text that keeps an idle stream open. */
  keepalive: string
  /** The end of a passed-through stream. It replaces the end mark of the upstream. */
  passThroughEnd: string
  /** Creates the rewriter of one passed-through response, which replaces values that clients need. */
  createRewriter?: (head: ResponseHead) => PassthroughRewriter
  /** Converts token counts to the `usage` of this protocol. */
  toUsage: (tokens: TokenCounts) => object
  /** Adds the cost to the upstream's event with the usage. */
  addCostToEvent: (raw: Buffer, cost: CostNote, options: Pick<WriterOptions, 'includeUsage'>) => string | Buffer
  /** Writes a whole response from its events. */
  writeBody: (head: ResponseHead, events: CompletionEvent[], cost: CostNote | undefined) => object
  /** Whether responses are rewritten even if their bytes could be passed through. */
  rewritesResponses?: boolean
  /** The format of errors before the response. Defaults to the format of this service. */
  envelope?: Envelope
}

/** The request whose headers are forwarded. `isLimited`: whether a spending limit counts the request. */
export type HeadersRequest = { body: Body; isLimited: boolean }

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

/** One operation of the API. `response` is the schema of a whole response. */
type Operation = {
  /** The name of the operation in the API description. */
  id: string
  path: string
  summary: string
  description: string
  request: z.ZodObject
  /** The most items, fields, arrays and objects of a long body. Defaults to the usual limit. */
  maxBodyParts?: number
  response: z.ZodType
  /** The schema of each event of a streamed response; undefined if responses are never streamed. */
  events?: z.ZodType
  /** The schema of errors. Defaults to the usual schema of this service. */
  errorBody?: z.ZodType
}

/** The metered cost for the usage in the response. `billedTokens` is set if the provider reported other counts. */
export type CostNote = { costUsd: number; billedTokens?: TokenCounts }

/** Writes one streamed response. Each function returns the text to send. */
export type StreamWriter = {
  event: (event: CompletionEvent) => string
  /** Writes the end of a complete response. */
  end: (cost: CostNote | undefined) => string
  /** Writes the end of a response that broke off. */
  fail: (error: { code: number; message: string; metadata?: Record<string, unknown> }) => string
}
