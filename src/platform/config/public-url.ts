import type { Config } from './settings.ts'

type PublicUrl = Pick<Config, 'public_url'>

/** The base path of the console and the API, such as `/llm`; empty if there is none. */
export const rootPath = ({ public_url }: PublicUrl): string =>
  public_url === undefined ? '' : new URL(public_url).pathname.replace(/\/+$/, '')

/** The URL of this service for browsers, without a final slash: the setting, or the origin of a request. */
export const siteUrl = ({ public_url }: PublicUrl, origin: string): string => public_url ?? origin

/** The path and query of a request without the root path: some proxies remove it, and some do not. */
export function withoutRoot(root: string, url: string): string {
  if (root === '' || !url.startsWith(root)) return url
  const rest = url.slice(root.length)
  if (rest.startsWith('/')) return rest
  return rest === '' || rest.startsWith('?') ? `/${rest}` : url
}
