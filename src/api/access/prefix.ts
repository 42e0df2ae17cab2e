import type { IncomingHttpHeaders } from 'node:http'

/** The path of the base URL, which contains the API's version. */
export const prefix = '/api/v1'

/** The prefix that many clients append to a base URL. */
const bare = '/v1/'

/** Matches a model's path whose slash is not escaped: `/models/author/slug`, with nothing after it. */
const plainModelId = /^(\/api\/v1\/models\/[^/?]+)\/([^/?]+)\/?(?=\?|$)/

const modelPaths = `${prefix}/models/`

/** Operations that clients with a bare origin as their base URL request. The console has pages at `/models` only. */
const completionPath = /^\/(?:chat\/completions|responses|messages(?:\/count_tokens)?)(?=\?|$)/
const modelsPath = /^\/models(?=[/?]|$)/

/**
 * Normalises a path for the routes: `/v1/…` becomes `/api/v1/…`, and `/models/author/slug` becomes
 * `/models/author%2Fslug`. Completions and models also work without any prefix.
 */
export function underPrefix(url: string, headers: IncomingHttpHeaders = {}): string {
  // Most requests have nothing to change.
  if (url.startsWith(prefix) && !url.startsWith(modelPaths)) return url
  const path = url.startsWith(bare) ? `/api${url}` : isBareOperation(url, headers) ? prefix + url : url
  return path.replace(plainModelId, '$1%2F$2')
}

const isBareOperation = (url: string, headers: IncomingHttpHeaders) =>
  completionPath.test(url) || (modelsPath.test(url) && isProgramRequest(headers))

/** Whether a request is from a program and not from a browser that wants a page. */
export function isProgramRequest({ accept, authorization }: IncomingHttpHeaders): boolean {
  if (accept?.includes('text/html')) return false
  return authorization !== undefined || accept === 'application/json'
}
