import type { z } from 'zod'
import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest, ChatTool } from '#chat/chat-request.ts'
import type { ConversationField } from '#chat/conversation-fields.ts'
import type { AnswerEvent, TokenCounts } from '#chat/events.ts'
import type { Protocol } from '#platform/core/vocabulary.ts'
import type { Envelope } from '#platform/http/response/envelope.ts'
import type { JsonSource } from '#platform/json/json-source.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import type { PresetStyle } from '../presets/apply-preset.ts'
import type { BillableOptions } from '../pricing/billable-options.ts'
import type { ContextErrors } from '../providers/context-errors.ts'
import type { PassthroughRewriter } from './passthrough-rewriter.ts'

/** An HTTP request for an upstream. `path` follows the provider's base URL. */
export type EncodedRequest = {
  path: string
  headers: Record<string, string>
  /** Writes the body. A long one is written in a later turn of the event loop than the one that made it. */
  writeBody: () => string | readonly Buffer[]
  /** Fields that the upstream does not get. */
  dropped?: readonly string[]
  /** The original names of tools that have another name in the body. */
  aliases?: ReadonlyMap<string, string>
}

export type ProtocolTarget = { endpoint: Endpoint; credential: string | undefined; stream: boolean }

/** A request body in the words of one protocol. */
export type Body = Record<string, unknown>

/**
 * One wire protocol of upstreams. Everything else in routing speaks of chat requests and answer events; what a protocol
 * names differently stays in its own file.
 */
export type ProviderProtocol = {
  protocol: Protocol
  /** The origin of the upstream, for protocols without a base URL. */
  origin?: string
  /** A chat request in this protocol's words. */
  encode: (chat: ChatRequest, target: ProtocolTarget) => EncodedRequest
  /**
   * For clients of the same protocol: their own body, with nothing changed but the model's name, what is ours alone
   * taken out, the answer's limit under the one name that the endpoint knows, and usage asked for.
   * @param source the client's bytes, where nothing was changed in what they say but that own fields may be left out.
   */
  passThrough?: (body: Body, target: ProtocolTarget, source?: JsonSource) => EncodedRequest
  /** Asks an upstream for the number of tokens of a body, if the protocol can. */
  countTokens?: {
    request: (body: Body, target: ProtocolTarget) => EncodedRequest
    read: (answer: unknown) => number | undefined
  }
  /** The limit that is sent for such a request: so many tokens its answer has at most. */
  answerLimit: (chat: ChatRequest, endpoint: Endpoint) => number | undefined
  /**
   * Provider tools and service tier of a request: of the passed-through body, or of the chat request that is encoded.
   */
  billableOptions?: (request: Body, endpoint: Endpoint) => BillableOptions
  /** Whether this protocol can express a chat tool that is not a function. Without it, chats are passed on. */
  knowsTool?: (tool: ChatTool) => boolean
  /** Whether a model may think for such a request. If this is left out, the catalogue decides. */
  mayThink?: (chat: ChatRequest, endpoint: Endpoint) => boolean
  /**
   * Reads one streamed answer. `[DONE]` ends it, in every protocol. @throws Error on what is not this protocol.
   * @param answerId this service's id of the answer: the ids of calls are made from it where their upstream gives none.
   * @param answerLimit the most tokens that the answer may have.
   */
  reader: (answerId?: string, answerLimit?: number) => (event: SseEvent) => AnswerEvent[]
  /** Whether a reader needs nothing of an event's text for those that follow: then like events need not be parsed. */
  readsEventsAlone?: boolean
  /** Reads a whole answer. @throws Error on what is not this protocol. */
  readBody: (body: unknown, answerId?: string, answerLimit?: number) => AnswerEvent[]
  /** How its servers say that a prompt is longer than the model's context. */
  contextErrors: ContextErrors
  /** The error message in the body of a failed answer. */
  errorMessage: (body: unknown) => string | undefined
}

/** Whether the client's own body is sent on unchanged, apart from the few fields that `passThrough` sets. */
export function passes(
  { protocol, passThrough }: Partial<Pick<ProviderProtocol, 'protocol' | 'passThrough'>>,
  client: Protocol,
): boolean {
  return protocol === client && passThrough !== undefined
}

/** The id, model and provider that the client sees. */
export type AnswerHead = {
  id: string
  /** The catalogue's id of the model that answers. */
  model: string
  /** The name of the provider that answers, for people. */
  provider?: string
  createdSeconds: number
  /** The client's own body, for protocols whose answers say back what was asked. */
  request?: Body
}

/** @param passedEvents how many of the upstream's own events the client has already got. */
export type WriterOptions = { includeUsage: boolean; passedEvents?: number }

/**
 * The protocol a client speaks: its requests become chat requests, and answer events become its answers. All that the
 * service knows of a client's protocol is behind this; each has a folder in `clients/` and a line in `clients.ts`.
 */
export type ClientProtocol = {
  /** The upstream protocol whose bytes a client of this one takes as they are. */
  protocol: Protocol
  /** The API operation by which clients use it. */
  operation: Operation
  /** The field of its bodies that has the conversation. */
  conversation: ConversationField
  /** The `api_type` in the records of such requests. */
  apiType: string
  /** Fields of its bodies that speak to this service, besides those that every protocol has (`own-fields.ts`). */
  ownFields?: ReadonlySet<string>
  /**
   * Headers of the request that go on to an upstream of the same protocol. @param limited whether a limit counts it.
   */
  headersFor?: (headers: RequestHeaders, body: Body, limited: boolean) => Record<string, string>
  /** Whether the headers of a request show that its client speaks this protocol. */
  isSpokenIn?: (headers: RequestHeaders) => boolean
  /** Whether its clients can send their key in the header `x-api-key`. */
  acceptsApiKeyHeader?: boolean
  /** Headers of answers in this protocol, besides the common ones. */
  answerHeaders?: (requestId: string) => Record<string, string>
  /**
   * Whether a body is valid beyond doubt, told in much less time than by the schema of the operation. False says nothing.
   */
  isSurelyValid?: (body: unknown) => body is Body
  /** The body as a chat request. @throws Fault `invalid` for what has no counterpart. */
  toChat: (body: Body) => ChatRequest
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
  /** Token counts in the words of its usage. */
  usageOf: (tokens: TokenCounts) => object
  /** The upstream's event that tells the usage, with the cost in it, in the form that this client expects. */
  usageEvent: (raw: Buffer, cost: CostNote, includeUsage: boolean) => string | Buffer
  /** A whole answer from all its events. */
  writeBody: (head: AnswerHead, events: AnswerEvent[], cost: CostNote | undefined) => object
  /** Whether answers are always written anew, although their bytes could be passed on. */
  rewrites?: boolean
  /** The form of errors before the answer; by default, the form of this service. */
  envelope?: Envelope
}

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

/** One operation of the API: where it is, what it takes, what it answers when it does not stream. */
export type Operation = {
  /** Its name in the API's description. */
  id: string
  path: string
  summary: string
  description: string
  request: z.ZodObject
  response: z.ZodType
  /** The schema of each event of a streamed answer. */
  events: z.ZodType
  /** The form of its errors, if it is not the usual one of this service. */
  errorBody?: z.ZodType
}

/** The metered cost, for the usage that the client sees; and the counts, where the provider reports them otherwise. */
export type CostNote = { costUsd: number; restated?: TokenCounts }

export type StreamWriter = {
  event: (event: AnswerEvent) => string
  /** The last words of an answer that is whole. */
  end: (cost: CostNote | undefined) => string
  /** The last words of an answer that broke off. */
  fail: (error: { code: number; message: string; metadata?: Record<string, unknown> }) => string
}
