import type { z } from 'zod'
import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest, ChatTool } from '#chat/chat-request.ts'
import type { AnswerEvent, TokenCounts } from '#chat/events.ts'
import type { ConversationField } from '#chat/fields/conversation-fields.ts'
import type { RequestFormat, Task } from '#platform/core/vocabulary.ts'
import type { Envelope } from '#platform/http/response/envelope.ts'
import type { JsonSource } from '#platform/json/json-text/json-source.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import type { PresetStyle } from '../presets/apply-preset.ts'
import type { BillableOptions } from '../pricing/billable-options.ts'
import type { AnswerForms } from './answer-forms.ts'
import type { PassthroughRewriter } from './passthrough-rewriter.ts'

/** An HTTP request for an upstream. `path` follows the provider's base URL. */
export type EncodedRequest = {
  path: string
  headers: Record<string, string>
  body: Body
  /** The bytes that the body was read from, if it differs from them in a few fields only. */
  source?: JsonSource | undefined
  /** Fields that the upstream does not get. */
  dropped?: readonly string[]
  /** The original names of tools that have another name in the body. */
  aliases?: ReadonlyMap<string, string>
  /** The tool whose arguments are the answer. */
  answerTool?: string | undefined
  /** The custom tools that are functions in the body. */
  customTools?: ReadonlySet<string> | undefined
  /** Creates the reader of the answer to this request, if the answer is too long to be parsed at once. */
  bodyReader?: () => BodyReader
}

/** Reads a whole answer while its bytes arrive. @throws Error if it violates the protocol. */
export type BodyReader = { push: (bytes: Buffer) => void; end: () => AnswerEvent[] }

/** The endpoint of a request, the credential for it, and whether the upstream streams the answer. */
export type ProtocolTarget = { endpoint: Endpoint; credential: string | undefined; stream: boolean }

/** A request body in any protocol. */
export type Body = Record<string, unknown>

/** A whole answer: JSON as text or bytes, or an object. */
export type WholeBody = string | Buffer | object

/**
 * One wire protocol of upstreams. It translates between the protocol and chat requests and answer events, which the rest
 * of the gateway uses.
 */
export type ProviderProtocol = {
  protocol: RequestFormat
  /** The protocols of the same servers for tasks other than chats. */
  tasks?: { readonly [task in Task]?: ProviderProtocol }
  /** The origin of the upstream, for protocols without a base URL. */
  origin?: string
  /** Encodes a chat request in this protocol. */
  encode: (chat: ChatRequest, target: ProtocolTarget) => EncodedRequest
  /**
   * Passes the body of a client of the same protocol through. Changes only the model, the name of the answer limit and
   * the request for usage. Undefined if this endpoint needs a translation.
   * @param source the client's bytes, if the body differs from them at most by removed fields of this service.
   */
  passThrough?: (body: Body, target: ProtocolTarget, source?: JsonSource) => EncodedRequest | undefined
  /** Counts the tokens of a body at an upstream, if the protocol supports it. */
  countTokens?: {
    request: (body: Body, target: ProtocolTarget) => EncodedRequest
    read: (answer: unknown) => number | undefined
  }
  /** The limit of answer tokens that is sent for this request. */
  answerLimit: (chat: ChatRequest, endpoint: Endpoint) => number | undefined
  /** The maximum tokens of the prompt. Defaults to the context length of the endpoint. */
  promptLimit?: (chat: ChatRequest, endpoint: Endpoint) => number
  /** The provider tools and the service tier of a passed-through body or of a chat request. */
  billableOptions?: (request: Body, endpoint: Endpoint) => BillableOptions
  /** Whether a provider can run and bill tools that the request does not name, such as the search of Perplexity. */
  runsUnrequestedTools?: true
  /** Whether this protocol can express a chat tool that is not a function. Undefined if chats are passed through. */
  supportsTool?: (tool: ChatTool) => boolean
  /** Whether a model may reason for this request. If undefined, the catalogue decides. */
  canThink?: (chat: ChatRequest, endpoint: Endpoint) => boolean
  /**
   * Reads one streamed answer. `[DONE]` ends it, in every protocol. @throws Error if an event violates the protocol.
   * @param answerId the id of the answer, from which missing ids of tool calls are generated.
   * @param answerLimit the maximum tokens of the answer.
   * @param toolNames the names of the tools that the upstream got.
   */
  reader: (
    answerId?: string,
    answerLimit?: number,
    toolNames?: ReadonlySet<string>,
  ) => (event: SseEvent) => AnswerEvent[]
  /** Whether events can be read independently of earlier text, so that similar events need no parsing. */
  isStateless?: boolean
  /** Whether `[DONE]` completes an answer without a finish reason. Other protocols have an event for the end. */
  endsByMark?: boolean
  /** Other forms of answers than that of the protocol. Undefined if no server sends any. */
  forms?: AnswerForms
  /** Reads a whole answer. @throws Error if it violates the protocol. */
  readBody: (body: unknown, answerId?: string, answerLimit?: number, toolNames?: ReadonlySet<string>) => AnswerEvent[]
  /** The error message in the body of a failed answer. */
  errorMessage: (body: unknown) => string | undefined
}

/** Whether the body of a client is passed through. */
export function passesThrough(
  { protocol, passThrough }: Partial<Pick<ProviderProtocol, 'protocol' | 'passThrough'>>,
  client: RequestFormat,
): boolean {
  return protocol === client && passThrough !== undefined
}

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

/** `passedEvents`: the number of upstream events that the client has received already. */
type WriterOptions = { includeUsage: boolean; passedEvents?: number }

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
  /** Request headers for an upstream of the same protocol. @param isLimited whether a limit counts the request. */
  headersFor?: (headers: RequestHeaders, body: Body, isLimited: boolean) => Record<string, string>
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
  usageEvent: (raw: Buffer, cost: CostNote, includeUsage: boolean) => string | Buffer
  /** Writes a whole answer from its events. */
  writeBody: (head: AnswerHead, events: AnswerEvent[], cost: CostNote | undefined) => object
  /** Whether answers are always rewritten, even if their bytes could be passed through. */
  rewrites?: boolean
  /** The form of errors before the answer; by default, the form of this service. */
  envelope?: Envelope
}

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
