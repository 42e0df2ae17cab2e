import type { RouteSpec } from '../route.ts'

export type DescribedRoute = Pick<
  // biome-ignore lint/suspicious/noExplicitAny: whatever its input, its caller and its dependencies
  RouteSpec<any, any, any>,
  | 'method'
  | 'path'
  | 'tag'
  | 'operationId'
  | 'summary'
  | 'description'
  | 'key'
  | 'request'
  | 'response'
  | 'mediaTypes'
  | 'uploads'
  | 'downloads'
  | 'events'
  | 'accepted'
  | 'errorBody'
  | 'headers'
  | 'errorMediaTypes'
  | 'hasRanges'
  | 'describesInternalError'
  | 'status'
  | 'etag'
  | 'ifMatch'
  | 'canCreate'
  | 'isIdempotent'
  | 'isCacheable'
  | 'faults'
  | 'hidden'
>

/** Example requests and responses by method and path, such as `get /keys`. */
export type Examples = Record<string, { params?: Record<string, string>; body?: unknown; response?: unknown }>
