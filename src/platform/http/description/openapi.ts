import type { z } from 'zod'
import type { FaultKind } from '../../core/fault.ts'
import { ErrorEnvelope } from '../response/envelope.ts'
import { faultMeaning, faultStatus } from '../response/faults.ts'
import type { KeyNeed } from '../route.ts'
import type { DescribedRoute, Examples } from './described-route.ts'
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

const requestIdHeader = { 'x-request-id': { $ref: '#/components/headers/RequestId' } }
const entityTagHeader = { etag: { $ref: '#/components/headers/EntityTag' } }
const retryAfterHeader = { 'retry-after': { $ref: '#/components/headers/RetryAfter' } }

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
  const faults = new Set(routes.flatMap(listFaults))
  const responses = faultResponses(faults, registry)
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
    components: { securitySchemes, headers, responses, schemas: registry.components() },
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

const headers = {
  RequestId: {
    description: 'The ID of the request in the log. An ID sent in `x-request-id` is used.',
    schema: { type: 'string' },
  },
  EntityTag: {
    description:
      'The version of the object. Send it as `If-Match` with a change, so that the change is refused if the object was changed meanwhile.',
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'The number of seconds to wait before a retry.', schema: { type: 'integer' } },
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
      ...(route.isIdempotent && {
        200: {
          ...describeSuccess(route, registry, example),
          description: 'The result of an earlier request with the same key',
        },
      }),
      ...(route.isCacheable && { 304: { description: 'Not modified', headers: requestIdHeader } }),
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
function describeSuccess(
  { response, mediaTypes = [], events, downloads, etag }: DescribedRoute,
  registry: SchemaRegistry,
  example: Examples[string],
): object {
  const schemaFor = (type: string) =>
    events && type === 'text/event-stream' ? registry.schemaOf(events, 'output') : { type: 'string' }
  const content = {
    ...(downloads && binaryContent(mediaTypes)),
    ...(response && {
      'application/json': { schema: registry.schemaOf(response, 'output'), ...exampleOf(example, 'answer') },
    }),
    ...(!downloads && Object.fromEntries(mediaTypes.map((type) => [type, { schema: schemaFor(type) }]))),
  }
  const headers = { ...requestIdHeader, ...(etag && entityTagHeader) }
  return { description: 'Success', headers, ...(Object.keys(content).length > 0 && { content }) }
}

function listFaults({ faults, ifMatch }: DescribedRoute): FaultKind[] {
  return [...new Set<FaultKind>([...faults, ...(ifMatch ? (['precondition_failed'] as const) : [])])]
}

function describeFailures(route: DescribedRoute, registry: SchemaRegistry): object {
  const { errorBody, describesInternalError = true } = route
  const kinds = listFaults(route)
  if (errorBody) {
    const content = { 'application/json': { schema: registry.schemaOf(errorBody, 'output') } }
    const toResponse = (description: string) => ({ description, headers: requestIdHeader, content })
    return {
      ...Object.fromEntries(kinds.map((kind) => [faultStatus[kind], toResponse(faultMeaning[kind])])),
      500: toResponse(internalError),
    }
  }
  const named = kinds.map((kind) => [faultStatus[kind], { $ref: responseName(kind) }])
  const internalErrors = describesInternalError && { 500: { $ref: '#/components/responses/internal_error' } }
  return { ...Object.fromEntries(named), ...internalErrors }
}

const internalError = 'Internal server error'

const responseName = (kind: FaultKind) => `#/components/responses/${kind}`

function faultResponses(kinds: Set<FaultKind>, registry: SchemaRegistry): Record<string, object> {
  const content = { 'application/json': { schema: registry.schemaOf(ErrorEnvelope, 'output') } }
  const responses = [...kinds].sort().map((kind) => {
    const hasRetryAfter = kind === 'rate_limited' || kind === 'unavailable'
    return [
      kind,
      {
        description: faultMeaning[kind],
        headers: { ...requestIdHeader, ...(hasRetryAfter && retryAfterHeader) },
        content,
      },
    ]
  })
  const internal = { description: internalError, headers: requestIdHeader, content }
  return { ...Object.fromEntries(responses), internal_error: internal }
}

const exampleOf = (example: Examples[string], part: 'body' | 'answer') =>
  example[part] === undefined ? {} : { example: example[part] }
