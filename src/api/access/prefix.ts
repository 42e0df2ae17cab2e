/** The path of the base URL: it carries the API's version. */
export const prefix = '/api/v1'

/** Many clients append this to a base URL themselves. */
const bare = '/v1/'

/** A model's id with its slash as it is: `/models/author/slug`, and nothing behind it. */
const plainModelId = /^(\/api\/v1\/models\/[^/?]+)\/([^/?]+)\/?(?=\?|$)/

/**
 * The path as the routes have it: `/v1/…` is answered like `/api/v1/…`, and `/models/author/slug` like
 * `/models/author%2Fslug`.
 */
export function underPrefix(url: string): string {
  const path = url.startsWith(bare) ? `/api${url}` : url
  return path.replace(plainModelId, '$1%2F$2')
}
