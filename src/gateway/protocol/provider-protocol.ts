import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest, ChatTool } from '#chat/chat-request.ts'
import type { AnswerEvent } from '#chat/events.ts'
import type { RequestFormat, Task } from '#platform/core/vocabulary.ts'
import type { JsonSource } from '#platform/json/json-text/json-source.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import type { BillableOptions } from '../pricing/billable-options.ts'
import type { AnswerForms } from './answer-forms.ts'
import type { Body } from './request-body.ts'

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

/** The facts of a request that the reader of its answer needs. */
export type AnswerContext = {
  /** This service's id of the answer. If the upstream sends no ids of calls, they are generated from it. */
  answerId?: string | undefined
  /** The maximum tokens of the answer: tool arguments that are cut off at this limit are not an error. */
  answerLimit?: number | undefined
  /** The names of the tools that the upstream got. Undefined if they are not known. */
  toolNames?: ReadonlySet<string> | undefined
}

/**
 * Reads the events of one stream, in their order. The end mark is the last one, in every protocol.
 * @throws Error if an event violates the protocol.
 */
export type StreamReader = (event: SseEvent) => AnswerEvent[]

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
  /** Creates the reader of one streamed answer. */
  reader: (context?: AnswerContext) => StreamReader
  /** Whether events can be read independently of earlier text, so that similar events need no parsing. */
  isStateless?: boolean
  /** Whether the end mark completes an answer without a finish reason. Other protocols have an event for the end. */
  endsByMark?: boolean
  /** Other forms of answers than that of the protocol. Undefined if no server sends any. */
  forms?: AnswerForms
  /** Reads a whole answer. @throws Error if it violates the protocol. */
  readBody: (body: unknown, context?: AnswerContext) => AnswerEvent[]
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
