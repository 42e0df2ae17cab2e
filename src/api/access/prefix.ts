import type { IncomingHttpHeaders } from 'node:http'

/** The path of the base URL, which contains the API's version. */
export const apiPrefix = '/api/v1'

/** Many clients append this prefix to a base URL. */
const shortPrefix = '/v1/'

/** Matches a model's path whose slash is not escaped: `/models/author/slug`, with nothing after it. */
const unescapedModelPath = /^(\/api\/v1\/models\/[^/?]+)\/([^/?]+)\/?(?=\?|$)/

const modelPaths = `${apiPrefix}/models/`

/** Operations that clients with a bare origin as their base URL request. The console has pages at `/models` only. */
const completionPath = /^\/(?:chat\/completions|responses|messages(?:\/count_tokens)?)(?=\?|$)/
const modelsPath = /^\/models(?=[/?]|$)/

/**
 * Normalises a path for the routes: `/v1/…` becomes `/api/v1/…`, and `/models/author/slug` becomes
 * `/models/author%2Fslug`. Completions and models also work without any prefix.
 */
export function toApiUrl(url: string, headers: IncomingHttpHeaders = {}): string {
  // Most requests have nothing to change.
  if (url.startsWith(apiPrefix) && !url.startsWith(modelPaths)) return url
  return prefixed(url, headers).replace(unescapedModelPath, '$1%2F$2')
}

function prefixed(url: string, headers: IncomingHttpHeaders): string {
  if (url.startsWith(shortPrefix)) return `/api${url}`
  return isBareOperation(url, headers) ? apiPrefix + url : url
}

const isBareOperation = (url: string, headers: IncomingHttpHeaders) =>
  completionPath.test(url) || (modelsPath.test(url) && isProgramRequest(headers))

/** Whether a request is from a program and not from a browser that wants a page. */
export function isProgramRequest({ accept, authorization }: IncomingHttpHeaders): boolean {
  if (accept?.includes('text/html')) return false
  return authorization !== undefined || accept === 'application/json'
}
