import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import type { Entity } from '../core/entity-tag.ts'
import type { Fault, FaultKind } from '../core/fault.ts'
import type { JsonSource } from '../json/json-source.ts'
import type { ResponseStream } from '../net/response-stream.ts'

export type Method = 'get' | 'post' | 'patch' | 'put' | 'delete'

/** Which keys open a route. `none`: anybody. */
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
  /** The path and query as the client wrote them. */
  url: string
  requestId: string
  /** The host it came in by, as the client wrote it or a trusted proxy says. */
  host: string | undefined
  /** Head and socket of the request, for what few routes ask. */
  raw: Pick<IncomingMessage, 'headers' | 'socket'>
  /** Aborts when the client leaves before the answer is over. */
  signal: AbortSignal
  /** The body of a route that says what it `uploads`, as it comes. */
  upload: AsyncIterable<Buffer>
  /** The bytes of the body, if it is long and its route keeps it. */
  source: JsonSource | undefined
  /** For answers that stream. Once it has opened, what the handler returns is ignored. */
  response: ResponseStream
}

/** One endpoint: what it takes, what can go wrong, what it answers. Everything else is derived from it. */
export type RouteSpec<S extends Schemas, Caller, Deps> = {
  method: Method
  /** Below the base URL, with `{name}` for each parameter. */
  path: string
  /** The parameter in the path that is the id of the workspace of the request. */
  workspaceParam?: string
  tag: string
  /** Its name in the API's description, for generated clients. */
  operationId?: string
  summary: string
  description?: string
  key: KeyNeed
  /** Whether a request with these headers can carry its key in the header `x-api-key`. */
  acceptsApiKeyHeader?: (headers: Readonly<Record<string, string | string[] | undefined>>) => boolean
  /** Whether the operator may open it to callers without any key. */
  mayBePublic?: boolean
  request?: S
  /** The JSON of a success; undefined where the answer is not JSON. */
  response?: z.ZodType
  /** Other media types of a success than JSON, such as `text/event-stream`. */
  mediaTypes?: string[]
  /** The JSON of a 202, where it may answer so as well. */
  accepted?: z.ZodType
  /** The content of each event of a `text/event-stream`. */
  events?: z.ZodType
  /** The media types of a body that is not JSON: the handler gets it as it comes, by `upload`, and bounds it itself. */
  uploads?: string[]
  /** Whether the answer is a file of any length. Such a route does not support HEAD. */
  downloads?: boolean
  /** The form of its errors, if it is not the usual one. */
  errorBody?: z.ZodType
  /** Whether the description lists 500. Defaults to true. */
  describesDefect?: boolean
  /** Whether a POST changes nothing. */
  isRead?: boolean
  /** The roles of signed-in members that can call the route, if they do not follow from `key` and the method. */
  roles?: readonly string[]
  /** Whether roles in the organization or in the workspace of the request decide. Defaults to `workspace`. */
  scope?: 'organization' | 'workspace'
  /** The object in the answer, as `data` or as a whole. Its entity tag is returned as `ETag`. */
  etag?: Entity
  /** The object that the route changes only if it matches the header `If-Match`. The caller has the header as `precondition`. */
  ifMatch?: Entity
  /** The status of a success. Defaults to 200. */
  status?: number
  faults: FaultKind[]
  /** The refusal of an ordinary key on a management route. */
  wrongKey?: 'forbidden' | 'unauthenticated'
  /** The refusal of a body that is not declared as JSON. */
  undeclaredBody?: 'invalid' | 'unsupported_media_type'
  /** Puts a refusal of this route, by whomever, in its own words. */
  restate?: (fault: Fault) => Fault
  /** In bytes. Defaults to the setting `max_body_bytes`. */
  bodyLimit?: number
  /** Whether the handler gets the body as it was sent, with its bytes, instead of the copy that the schema makes. */
  keepsBody?: boolean
  /** Returns true for a body that is valid for certain. The schema checks the others. For routes that keep their body. */
  isSurelyValid?: (body: unknown) => boolean
  /** Its body is what a form of a page sends; all others are JSON. */
  takesForm?: boolean
  /** Omitted from the API description. */
  hidden?: boolean
  handler: (call: Call<S, Caller>, deps: Deps) => unknown
}

// biome-ignore lint/suspicious/noExplicitAny: a table holds routes of every input shape
export type AnyRoute<Caller, Deps> = RouteSpec<any, Caller, Deps>

/** Binds routes to what callers and dependencies look like in this product. */
export function routeFor<Caller, Deps>() {
  return <S extends Schemas = Record<never, never>>(spec: RouteSpec<S, Caller, Deps>) => spec
}

/** An answer that is more than JSON with the route's status. */
export class HttpAnswer {
  readonly status: number
  readonly headers: Record<string, string | string[]>
  readonly body: Buffer | string | object | null
  /** For the log: why the status is 5xx. */
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
