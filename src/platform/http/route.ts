import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import type { EntityKind } from '../core/entity-tag.ts'
import type { Fault, FaultKind } from '../core/fault.ts'
import type { AccessRole } from '../core/vocabulary.ts'
import type { FieldFilter } from '../json/json-text/exact-numbers.ts'
import type { JsonSource } from '../json/json-text/json-source.ts'
import type { ResponseStream } from '../net/response-stream.ts'
import type { DescribedHeader } from './description/headers.ts'

export type Method = 'get' | 'post' | 'patch' | 'put' | 'delete'

/** The kinds of keys that a route accepts. `none`: no key needed. */
export type KeyNeed = 'none' | 'any' | 'api' | 'management'

type Schemas = { params?: z.ZodType; query?: z.ZodType; body?: z.ZodType }
type Parsed<S extends Schemas, Name extends keyof Schemas> = S[Name] extends z.ZodType ? z.output<S[Name]> : undefined

/** The argument of a handler: validated input, the caller, and the raw request headers. */
export type Call<S extends Schemas, Caller> = {
  params: Parsed<S, 'params'>
  query: Parsed<S, 'query'>
  body: Parsed<S, 'body'>
  caller: Caller
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The path and query as the client sent them. */
  url: string
  requestId: string
  /** The requested host, as the client or a trusted proxy sent it. */
  host: string | undefined
  /** Head and socket of the request, which few routes need. */
  raw: Pick<IncomingMessage, 'headers' | 'socket'>
  /** Aborts when the client disconnects before the end of the response. */
  signal: AbortSignal
  /** The body as a stream, if the route declares `uploads`. */
  upload: AsyncIterable<Buffer>
  /** The bytes of the body, if it is long and the route sets `keepsOriginalBody`. */
  source: JsonSource | undefined
  /** The response of a handler that streams. After the handler has opened it, the return value of the handler is ignored. */
  response: ResponseStream
}

/** One endpoint: its input, errors and response. Everything else is derived from it. */
export type RouteSpec<S extends Schemas, Caller, Deps> = {
  method: Method
  /** The path below the base URL, with `{name}` for each parameter. */
  path: string
  /** The parameter in the path that is the id of the workspace of the request. */
  workspaceParam?: string
  tag: string
  /** Its operation id in the API description, which generated clients use. */
  operationId?: string
  summary: string
  description?: string
  key: KeyNeed
  /** Whether a request with these headers can carry its key in the header `x-api-key`. */
  acceptsApiKeyHeader?: (headers: Readonly<Record<string, string | string[] | undefined>>) => boolean
  /** Whether a setting can open it to callers without a key. */
  canBePublic?: boolean
  request?: S
  /** The JSON of a success; undefined if the response is not JSON. */
  response?: z.ZodType
  /** Other media types of a success than JSON, such as `text/event-stream`. */
  mediaTypes?: string[]
  /** The JSON of a 202, if the route can answer 202. */
  accepted?: z.ZodType
  /** The content of each event of a `text/event-stream`. */
  events?: z.ZodType
  /** The media types of a body that is not JSON. The handler reads it from `upload` and limits its size itself. */
  uploads?: string[]
  /** Whether the response is a file of any length. Such a route does not support HEAD. */
  downloads?: boolean
  /** The form of its errors, if it differs from this service's. */
  errorBody?: z.ZodType
  /** Headers that the route adds to its responses. Other fields of the route imply further ones. */
  headers?: { success?: readonly DescribedHeader[]; failure?: readonly DescribedHeader[] }
  /** Media types of its errors in addition to JSON. */
  errorMediaTypes?: string[]
  /** Whether a request with the header `Range` gets a part, with status 206. */
  hasRanges?: boolean
  /** Whether the description lists 500. Defaults to true. */
  describesInternalError?: boolean
  /** Whether a POST changes nothing. */
  isRead?: boolean
  /** The roles of signed-in members that can call the route, if they do not follow from `key` and the method. */
  roles?: readonly AccessRole[]
  /** Whether roles in the organization or in the workspace of the request decide. Defaults to `workspace`. */
  scope?: 'organization' | 'workspace'
  /** The kind of the object that the response is or has as `data`. Its entity tag is returned as `ETag`. */
  etag?: EntityKind
  /**
   * The kind of the object that the route changes only if the object matches the header `If-Match`. The handler gets the header as
   * `caller.precondition`.
   */
  ifMatch?: EntityKind
  /** Whether the route creates a missing object, and with the header `If-None-Match: *` changes no existing one. */
  canCreate?: boolean
  /** Whether a repeated request with the same header `Idempotency-Key` gets the same object, with status 200. */
  isIdempotent?: boolean
  /** Whether the route answers 304 if the header `If-None-Match` has the `ETag` of its response. */
  isCacheable?: boolean
  /** The status of a success. Defaults to 200. */
  status?: number
  faults: FaultKind[]
  /**
   * The refusal of an API key on a management route. Defaults to `forbidden`. The responses that the API defines for the routes of
   * guardrails do not include status 403, so these routes use `unauthenticated`.
   */
  wrongKeyFault?: 'forbidden' | 'unauthenticated'
  /** The refusal of a body that is not declared as JSON. */
  undeclaredBodyFault?: 'invalid' | 'unsupported_media_type'
  /** Converts each fault of this route to the form that its clients expect. For example, adds a reason to its metadata. */
  convertFault?: (fault: Fault) => Fault
  /** The size limit of a body in bytes. Defaults to the setting `max_body_bytes`. */
  bodyLimit?: number
  /** The most items, fields, arrays and objects of a long body together, if it differs from the default. */
  maxBodyParts?: number
  /** Whether the handler gets the body as it was sent, with its bytes, instead of the copy that the schema makes. */
  keepsOriginalBody?: boolean
  /** The fields of the body that become JSON text if double precision would round a number in them. */
  exactFields?: FieldFilter
  /**
   * Returns true only for bodies that are certainly valid. The schema checks the others. For routes that set
   * `keepsOriginalBody`.
   */
  isCertainlyValid?: (body: unknown) => boolean
  /** Whether the body is an HTML form. Other bodies are JSON. */
  takesForm?: boolean
  /** Omitted from the API description. */
  hidden?: boolean
  handler: (call: Call<S, Caller>, deps: Deps) => unknown
}

// biome-ignore lint/suspicious/noExplicitAny: a table holds routes of every input shape
export type AnyRoute<Caller, Deps> = RouteSpec<any, Caller, Deps>

/** Creates the `route` function for the caller and dependency types of this product. */
export function routeFor<Caller, Deps>() {
  return <S extends Schemas = Record<never, never>>(spec: RouteSpec<S, Caller, Deps>) => spec
}

/** A response with its own status and headers. It does not have to be JSON. */
export class HttpResponse {
  readonly status: number
  readonly headers: Record<string, string | string[]>
  readonly body: Buffer | string | object | null
  /** The reason of a 5xx status, for the log. */
  readonly reason: string | undefined

  constructor(
    status: number,
    headers: Record<string, string | string[]>,
    body: Buffer | string | object | null = null,
    reason?: string,
  ) {
    this.status = status
    this.headers = headers
    this.body = body
    this.reason = reason
  }
}
