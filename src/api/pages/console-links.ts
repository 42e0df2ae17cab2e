import type { FeedLinks } from '#catalogue/list/model-feed.ts'

/** The console's pages about models. */
const modelsPage = '/models'
const modelPage = (id: string) => `/models/${encodePath(id)}`
const chatPage = (id: string) => `/chat?model=${encodeURIComponent(id)}`

/** @param site the URL of the service. @param url the path and query of the feed. */
export function feedLinks(site: string, url: string, { toChat }: { toChat: boolean }): FeedLinks {
  const page = toChat ? chatPage : modelPage
  return { self: site + url, home: site + modelsPage, item: ({ id }) => site + page(id) }
}

/** `/` and `:` are allowed in a path, and ids are easier to read with them. */
function encodePath(id: string): string {
  return id.split('/').map(encodeURIComponent).join('/').replaceAll('%3A', ':')
}
