import type { z } from 'zod'
import type { FaultKind } from '../../core/fault.ts'
import { ErrorEnvelope } from '../response/envelope.ts'
import { faultMeaning, faultStatus } from '../response/faults.ts'
import type { KeyNeed } from '../route.ts'
import type { DescribedRoute, Examples } from './described-route.ts'
import { type DescribedHeader, headerComponents, referToHeaders } from './headers.ts'
import { createSchemaRegistry, type SchemaRegistry } from './json-schema.ts'
import { pathParameters, preconditions, queryParameters, repetitions } from './parameters.ts'

type ApiInfo = {
  title: string
  description: string
  version: string
  /** The prefix of all paths. */
  prefix: string
  tags: { name: string; description: string }[]
  examples?: Examples
}

type Schemas = { params?: z.ZodType; query?: z.ZodType; body?: z.ZodType }

/** Describes a table of routes as OpenAPI 3.1. */
export function describeRoutes(routes: DescribedRoute[], info: ApiInfo): object {
  const registry = createSchemaRegistry()
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes.filter(({ hidden }) => !hidden)) {
    paths[route.path] = {
      ...paths[route.path],
      [route.method]: describeOperation(route, registry, info.examples?.[`${route.method} ${route.path}`]),
    }
  }
  const kinds = new Set<FailureKind>(['internal_error', ...routes.flatMap(listFaults)])
  const responses = Object.fromEntries([...kinds].sort().map((kind) => [kind, describeFailure(kind, registry)]))
  return {
    openapi: '3.1.0',
    info: {
      title: info.title,
      description: info.description,
      version: info.version,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: info.prefix }],
    tags: info.tags,
    paths,
    components: { securitySchemes, headers: headerComponents, responses, schemas: registry.components() },
  }
}

const securitySchemes = {
  api_key: { type: 'http', scheme: 'bearer', description: 'An API key, `sb-v1-…`, or the key of an intern.' },
  management_key: { type: 'http', scheme: 'bearer', description: 'A management key, `sb-v1-…`.' },
  browser_session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'signalbox_session',
    description:
      'A browser session, created by `POST /sessions`. The role of its member determines its permissions. With TLS, the cookie is named `__Host-signalbox_session`.',
  },
  csrf_token: {
    type: 'apiKey',
    in: 'header',
    name: 'x-csrf-token',
    description:
      'Requests of a browser session that change something need its `csrf_token` and the `Origin` of the service.',
  },
}

const keysFor: Record<KeyNeed, object[]> = {
  none: [],
  any: [{ api_key: [] }, { management_key: [] }],
  api: [{ api_key: [] }],
  management: [{ management_key: [] }],
}

/** A browser session gives the access of a key. Requests that change something also need the session's token. */
function sessionFor({ key, method }: DescribedRoute): object[] {
  if (key === 'none') return []
  return [method === 'get' ? { browser_session: [] } : { browser_session: [], csrf_token: [] }]
}

function describeOperation(route: DescribedRoute, registry: SchemaRegistry, example: Examples[string] = {}): object {
  const { params, query, body } = (route.request ?? {}) as Schemas
  return {
    tags: [route.tag],
    operationId: route.operationId,
    summary: route.summary,
    description: route.description,
    security: [...keysFor[route.key], ...sessionFor(route)],
    parameters: [
      ...pathParameters(route.path, params, registry, example),
      ...queryParameters(query, registry),
      ...preconditions(route),
      ...repetitions(route),
    ],
    ...(body && { requestBody: requestBody(body, registry, example) }),
    ...(route.uploads && { requestBody: { required: true, content: binaryContent(route.uploads) } }),
    responses: {
      [route.status ?? 200]: describeSuccess(route, registry, example),
      ...(route.accepted && {
        202: {
          ...describeSuccess({ ...route, response: route.accepted, mediaTypes: [] }, registry, {}),
          description: 'Accepted',
        },
      }),
      ...(route.hasRanges && { 206: { ...describeSuccess(route, registry, {}), description: 'The requested part' } }),
      ...(route.isIdempotent && {
        200: {
          ...describeSuccess(route, registry, example),
          description: 'The result of an earlier request with the same key',
        },
      }),
      ...(route.isCacheable && { 304: { description: 'Not modified', headers: referToHeaders(['etag']) } }),
      ...describeFailures(route, registry),
    },
  }
}

function requestBody(body: z.ZodType, registry: SchemaRegistry, example: Examples[string]): object {
  const content = { 'application/json': { schema: registry.schemaOf(body, 'input'), ...exampleOf(example, 'body') } }
  return { required: !body.safeParse(undefined).success, content }
}

const binaryContent = (types: string[]) =>
  Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]))

/** A stream is described by one of its events, because the description cannot express a sequence of them. */
function describeSuccess(route: DescribedRoute, registry: SchemaRegistry, example: Examples[string]): object {
  const { response, mediaTypes = [], events, downloads } = route
  const schemaFor = (type: string) =>
    events && type === 'text/event-stream' ? registry.schemaOf(events, 'output') : { type: 'string' }
  const content = {
    ...(downloads && binaryContent(mediaTypes)),
    ...(response && {
      'application/json': { schema: registry.schemaOf(response, 'output'), ...exampleOf(example, 'response') },
    }),
    ...(!downloads && Object.fromEntries(mediaTypes.map((type) => [type, { schema: schemaFor(type) }]))),
  }
  const headers = referToHeaders(successHeaders(route))
  return { description: 'Success', headers, ...(Object.keys(content).length > 0 && { content }) }
}

/** The headers of a route's success. */
const successHeaders = ({ etag, isCacheable, hasRanges, headers = {} }: DescribedRoute): DescribedHeader[] => [
  ...(etag || isCacheable ? (['etag'] as const) : []),
  ...(hasRanges ? (['accept-ranges', 'content-range'] as const) : []),
  ...(headers.success ?? []),
]

function listFaults({ faults, ifMatch }: DescribedRoute): FaultKind[] {
  return [...new Set<FaultKind>([...faults, ...(ifMatch ? (['precondition_failed'] as const) : [])])]
}

function describeFailures(route: DescribedRoute, registry: SchemaRegistry): object {
  const { errorBody, headers, errorMediaTypes, describesInternalError = true } = route
  const kinds = [...listFaults(route), ...(describesInternalError ? (['internal_error'] as const) : [])]
  const isShared = errorBody === undefined && headers?.failure === undefined && errorMediaTypes === undefined
  const describe = (kind: FailureKind) =>
    isShared ? { $ref: `#/components/responses/${kind}` } : describeFailure(kind, registry, route)
  return Object.fromEntries(kinds.map((kind) => [statusOf(kind), describe(kind)]))
}

type FailureKind = FaultKind | 'internal_error'

const statusOf = (kind: FailureKind) => (kind === 'internal_error' ? 500 : faultStatus[kind])

/** The properties of a route that decide the form of its errors. */
type FailureForm = Pick<DescribedRoute, 'errorBody' | 'headers' | 'errorMediaTypes'>

function describeFailure(
  kind: FailureKind,
  registry: SchemaRegistry,
  { errorBody = ErrorEnvelope, headers = {}, errorMediaTypes = [] }: FailureForm = {},
): object {
  const hasRetryAfter = kind === 'rate_limited' || kind === 'unavailable'
  return {
    description: kind === 'internal_error' ? 'Internal server error' : faultMeaning[kind],
    headers: referToHeaders([...(hasRetryAfter ? (['retry-after'] as const) : []), ...(headers.failure ?? [])]),
    content: {
      'application/json': { schema: registry.schemaOf(errorBody, 'output') },
      ...Object.fromEntries(errorMediaTypes.map((type) => [type, { schema: { type: 'string' } }])),
    },
  }
}

const exampleOf = (example: Examples[string], field: 'body' | 'response') =>
  example[field] === undefined ? {} : { example: example[field] }
