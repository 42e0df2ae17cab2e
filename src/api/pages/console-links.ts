import type { FeedLinks } from '#catalogue/list/model-feed.ts'

/** The console's pages about models. */
const modelsPage = '/models'
const modelPage = (id: string) => `/models/${encodePath(id)}`
const chatPage = (id: string) => `/chat?model=${encodeURIComponent(id)}`

type Headers = Readonly<Record<string, string | string[] | undefined>>

const plainHost = /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i

/**
 * The public address of this service: the host that the client requested, and the scheme that a proxy sends in
 * `x-forwarded-proto`. A host with other characters becomes `localhost`.
 */
export function requestOrigin({ headers, host = '' }: { headers: Headers; host: string | undefined }): string {
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
  return `${scheme}://${plainHost.test(host) ? host : 'localhost'}`
}

/** @param url the path and query of the feed. */
export function feedLinks(origin: string, url: string, { toChat }: { toChat: boolean }): FeedLinks {
  const page = toChat ? chatPage : modelPage
  return { self: origin + url, home: origin + modelsPage, item: ({ id }) => origin + page(id) }
}

/** `/` and `:` are allowed in a path, and ids are easier to read with them. */
function encodePath(id: string): string {
  return id.split('/').map(encodeURIComponent).join('/').replaceAll('%3A', ':')
}
