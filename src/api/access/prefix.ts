/** The path of the base URL, which contains the API's version. */
export const prefix = '/api/v1'

/** The prefix that many clients append to a base URL. */
const bare = '/v1/'

/** Matches a model's path whose slash is not escaped: `/models/author/slug`, with nothing after it. */
const plainModelId = /^(\/api\/v1\/models\/[^/?]+)\/([^/?]+)\/?(?=\?|$)/

/**
 * Normalises a path for the routes: `/v1/…` becomes `/api/v1/…`, and `/models/author/slug` becomes
 * `/models/author%2Fslug`.
 */
export function underPrefix(url: string): string {
  const path = url.startsWith(bare) ? `/api${url}` : url
  return path.replace(plainModelId, '$1%2F$2')
}
