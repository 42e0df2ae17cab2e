/** The path of the base URL: it carries the API's version. */
export const prefix = '/api/v1'

/** Many clients append this to a base URL themselves. */
const bare = '/v1/'

/** The path as the routes have it: `/v1/…` is answered like `/api/v1/…`. */
export function underPrefix(url: string): string {
  return url.startsWith(bare) ? `/api${url}` : url
}
