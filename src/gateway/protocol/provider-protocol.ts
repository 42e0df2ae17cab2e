import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest, ChatTool } from '#chat/chat-request.ts'
import type { CompletionEvent } from '#chat/events.ts'
import type { RequestFormat, Task } from '#platform/core/vocabulary.ts'
import type { JsonSource } from '#platform/json/json-text/json-source.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import type { BillableOptions } from '../pricing/billable-options.ts'
import type { Body } from './request-body.ts'
import type { ResponseNormalization } from './response-normalization.ts'

/** An HTTP request for an upstream. `path` follows the provider's base URL. */
export type EncodedRequest = {
  path: string
  headers: Record<string, string>
  body: Body
  /** The bytes from which the body was parsed, if the body differs from them in only a few fields. */
  source?: JsonSource | undefined
  /** The fields that the upstream does not get. */
  dropped?: readonly string[]
  /** The original tool names, by their aliases in the body. */
  aliases?: ReadonlyMap<string, string>
  /** The tool whose arguments are the response. */
  outputTool?: string | undefined
  /** The names of custom tools that the body declares as functions. */
  customTools?: ReadonlySet<string> | undefined
  /** Creates the reader of the response to this request, if the response is too long to be parsed at once. */
  createBodyReader?: () => BodyReader
}

/** Reads a whole response while its bytes arrive. @throws Error if the response violates the protocol. */
export type BodyReader = { push: (bytes: Buffer) => void; end: () => CompletionEvent[] }

/** The endpoint of a request, the credential for it, and whether the upstream streams the response. */
export type ProtocolTarget = { endpoint: Endpoint; credential: string | undefined; stream: boolean }

/** The properties of a request that the reader of the response needs. */
export type ResponseContext = {
  /** This service's id of the response. Missing ids of tool calls are generated from this id. */
  responseId?: string | undefined
  /** The maximum tokens of the response: tool arguments that are cut off at this limit are not an error. */
  outputLimit?: number | undefined
  /** The names of the tools in the request to the upstream. Undefined if they are unknown. */
  toolNames?: ReadonlySet<string> | undefined
}

/**
 * Reads the events of one stream, in order. In every protocol, the last event is the end mark.
 * @throws Error if an event violates the protocol.
 */
export type StreamReader = (event: SseEvent) => CompletionEvent[]

/**
 * A wire protocol of upstreams: encodes chat requests, and reads responses as completion events. All other parts of
 * the gateway use only chat requests and completion events.
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
   * Encodes the body of a client of the same protocol with few changes: the model, the name of the output limit, the request
   * for usage, and repairs. Returns undefined if this endpoint needs a translation.
   * @param source the client's bytes, if the body differs from them only by removed fields of this service.
   */
  passThrough?: (body: Body, target: ProtocolTarget, source?: JsonSource) => EncodedRequest | undefined
  /** Counts the tokens of a body at an upstream, if the protocol supports it. */
  countTokens?: {
    request: (body: Body, target: ProtocolTarget) => EncodedRequest
    read: (response: unknown) => number | undefined
  }
  /** The limit of response tokens that is sent for this request. */
  outputLimit: (chat: ChatRequest, endpoint: Endpoint) => number | undefined
  /** The maximum tokens of the prompt. Defaults to the context length of the endpoint. */
  promptLimit?: (chat: ChatRequest, endpoint: Endpoint) => number
  /** The provider tools and the service tier of a passed-through body or of a chat request. */
  billableOptions?: (request: Body, endpoint: Endpoint) => BillableOptions
  /** Whether a provider can run and bill tools that the request does not name, such as the search of Perplexity. */
  runsUnrequestedTools?: true
  /** Whether this protocol can express a chat tool that is not a function. */
  supportsTool?: (tool: ChatTool) => boolean
  /** Whether the model can reason for this request. Defaults to what the catalogue says. */
  canReason?: (chat: ChatRequest, endpoint: Endpoint) => boolean
  /** Creates the reader of one streamed response. */
  createReader: (context?: ResponseContext) => StreamReader
  /** Whether the meaning of an event is independent of earlier text. Then events that differ only in text are not parsed. */
  isStateless?: boolean
  /** Whether the end mark completes a response without a finish reason. Other protocols end with a typed event. */
  isCompletedByEndMark?: boolean
  /** Converts variants of responses to the standard format. Undefined if no server sends variants. */
  normalization?: ResponseNormalization
  /** Reads a whole response. @throws Error if it violates the protocol. */
  readBody: (body: unknown, context?: ResponseContext) => CompletionEvent[]
  /** Reads the error message in the body of an HTTP error response. */
  readErrorMessage: (body: unknown) => string | undefined
}

/** Whether request bodies of a client protocol are passed through to upstreams of this provider protocol. */
export function passesThrough(
  { protocol, passThrough }: Partial<Pick<ProviderProtocol, 'protocol' | 'passThrough'>>,
  client: RequestFormat,
): boolean {
  return protocol === client && passThrough !== undefined
}
