import type { IncomingHttpHeaders } from 'node:http'

/** The path of the base URL, which contains the API's version. */
export const apiPrefix = '/api/v1'

/**
 * The prefix as clients write it. Some append `/v1` to a base URL that has it, or a path with a slash to one that ends with a
 * slash.
 */
const prefixForms = /^\/+(?:(?:api\/+)?v1\/+){1,3}/
const repeatedPrefix = `${apiPrefix}/v1/`

/** The origin of a target that has one, as requests to a proxy have. */
const targetOrigin = /^https?:\/\/[^/?#]*(?=\/)/i

/** Matches a model's path whose slash is not escaped: `/models/author/slug`, with nothing after it. */
const unescapedModelPath = /^(\/api\/v1\/models\/[^/?]+)\/([^/?]+)\/?(?=\?|$)/

const modelPaths = `${apiPrefix}/models/`

/** Operations that clients with a bare origin as their base URL request. The console has pages at `/models` only. */
const completionPath = /^\/(?:chat\/completions|responses|messages(?:\/count_tokens)?)(?=\?|$)/
const modelsPath = /^\/models(?=[/?]|$)/

/**
 * Normalises a path for the routes: `/v1/…`, `//v1/…` and `/v1/v1/…` become `/api/v1/…`, and `/models/author/slug` becomes
 * `/models/author%2Fslug`. Completions and models also work without any prefix.
 */
export function toApiUrl(url: string, headers: IncomingHttpHeaders = {}): string {
  // Most requests have nothing to change.
  if (url.startsWith(apiPrefix) && !isUnusual(url)) return url
  return addApiPrefix(url.replace(targetOrigin, ''), headers).replace(unescapedModelPath, '$1%2F$2')
}

const isUnusual = (url: string) =>
  url.startsWith(modelPaths) || url.startsWith(repeatedPrefix) || url.startsWith(`${apiPrefix}//`)

function addApiPrefix(url: string, headers: IncomingHttpHeaders): string {
  if (prefixForms.test(url)) return url.replace(prefixForms, `${apiPrefix}/`)
  const path = url.startsWith('//') ? url.replace(/^\/+/, '/') : url
  return isBareOperation(path, headers) ? apiPrefix + path : url
}

const isBareOperation = (url: string, headers: IncomingHttpHeaders) =>
  completionPath.test(url) || (modelsPath.test(url) && isProgramRequest(headers))

/** Whether a request is from a program and not from a browser that wants a page. */
export function isProgramRequest({ accept, authorization }: IncomingHttpHeaders): boolean {
  if (accept?.includes('text/html')) return false
  return authorization !== undefined || accept === 'application/json'
}
