import { pathOf, queryOf } from './address/address.ts'
import { withRoot } from './address/root.ts'
import { workspaceHeader, workspaceParameter } from './address/workspace-path.ts'
import { isServiceResponse, reportNoResponse, reportResponse } from './connection/connection.ts'
import { readFailure } from './failure.ts'
import { takePreloadedResponse } from './preloaded-responses.ts'
import { csrfToken, recordSessionEnd, sessionLookedUp } from './session.ts'
import type { Routes } from './types.ts'

export const apiBase = withRoot('/api/v1')

/** A route of the API by method and path: `'GET /generations'`. */
export type RouteName = keyof Routes
export type Input<R extends RouteName> = RequestPart<Routes[R], 'params'> &
  RequestPart<Routes[R], 'query'> &
  RequestPart<Routes[R], 'body'>
export type ResponseBody<R extends RouteName> = Routes[R]['response']

/** A part of the input: required if the route has it, except for a query whose fields are all optional. */
type RequestPart<
  Route extends Routes[RouteName],
  Part extends 'params' | 'query' | 'body',
> = Route[Part] extends undefined
  ? { [P in Part]?: undefined }
  : Part extends 'query'
    ? Partial<Route['query']> extends Route['query']
      ? { query?: Route['query'] }
      : { query: Route['query'] }
    : { [P in Part]: Route[P] }

export type CallOptions = { signal?: AbortSignal | undefined; headers?: Record<string, string> }

/**
 * Calls a route of the API.
 * @returns the JSON body, or undefined if the response is not JSON.
 * @throws Failure for an error status; the error of `fetch` without a response; SyntaxError for a body that is cut. `asFailure`
 * converts them.
 */
export async function call<R extends RouteName>(
  route: R,
  input: Input<R>,
  options: CallOptions = {},
): Promise<ResponseBody<R>> {
  const address = addressOf(route, input as object)
  const preloaded = route.startsWith('GET ') ? takePreloadedResponse(address) : undefined
  // Only the session and lists are preloaded, which have no entity tag.
  if (preloaded !== undefined) return preloaded as ResponseBody<R>
  const response = await send(route, address, input.body, options)
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const responseBody = isJson ? await response.json() : undefined
  const etag = response.headers.get('etag')
  // The tag belongs to the object that screens keep: the one in `data`, or the whole response of a route without `data`.
  if (etag && responseBody) etags.set(responseBody.data ?? responseBody, etag)
  return responseBody as ResponseBody<R>
}

/** The entity tags of objects that the service returned. */
const etags = new WeakMap<object, string>()

/** The entity tag of an object that a call returned. It changes when somebody changes the object. */
export const etagOf = (object: object | undefined): string | undefined => object && etags.get(object)

/** Options of a call that creates an object: it fails with the status 412 if the object exists. */
export const ifMissing: CallOptions = { headers: { 'if-none-match': '*' } }

/**
 * Options of a call that changes an object: it fails with the status 412 if the object is not as it was read. An object without an
 * entity tag is changed in any case.
 */
export function ifUnchanged(object: object | undefined): CallOptions {
  const etag = etagOf(object)
  return etag === undefined ? {} : { headers: { 'if-match': etag } }
}

/** Like `call`, but returns the response itself, for streams and files. Throws the same errors. */
export async function callRaw<R extends RouteName>(
  route: R,
  input: Input<R>,
  options: CallOptions = {},
): Promise<Response> {
  return send(route, addressOf(route, input as object), input.body, options)
}

/** The path and query of a call. Also the cache key of its response. */
export function addressOf(route: RouteName, { params, query }: { params?: object; query?: object }): string {
  return apiBase + pathOf(route.slice(route.indexOf(' ') + 1), params) + queryOf(query)
}

/**
 * The address for links, uploads and event streams, which cannot send the header of the workspace. The workspace of the page is in
 * the query instead.
 */
export const linkTo = (route: RouteName, { params, query }: { params?: object; query?: object }): string =>
  addressOf(route, { params, query: { ...workspaceParameter(), ...query } })

async function send(
  route: string,
  address: string,
  body: unknown,
  { signal, headers }: CallOptions,
): Promise<Response> {
  const method = route.slice(0, route.indexOf(' '))
  // A write needs the CSRF token, which is part of the session.
  if (method !== 'GET') await sessionLookedUp
  const token = csrfToken()
  const allHeaders: Record<string, string> = { ...workspaceHeader(), ...headers }
  if (method !== 'GET' && token !== undefined) allHeaders['x-csrf-token'] = token
  const init: RequestInit = { method, headers: allHeaders, signal: signal ?? null }
  if (body !== undefined) {
    allHeaders['content-type'] = 'application/json'
    init.body = JSON.stringify(body)
  }
  const response = await trackedFetch(address, init)
  if (response.ok) return response
  const failure = await readFailure(response)
  if (response.status === 401) recordSessionEnd(failure)
  throw failure
}

/** Fetches, and records whether the service responded. */
async function trackedFetch(address: string, init: RequestInit): Promise<Response> {
  const response = await fetch(address, init).catch((error) => {
    if (!init.signal?.aborted) reportNoResponse()
    throw error
  })
  if (isServiceResponse(response)) reportResponse()
  else reportNoResponse()
  return response
}
