import type { Model } from '#catalogue/index/model.ts'
import { modelsAt } from '#catalogue/index/select.ts'
import type { Snapshot } from '#catalogue/index/snapshot.ts'
import { feedType, modelFeed } from '#catalogue/list/model-feed.ts'
import { computeListTag, findModels, serializeList, unfilteredList } from '#catalogue/list/model-list.ts'
import type { ModelQuery } from '#catalogue/list/model-query.ts'
import type { CatalogueHolder } from '#catalogue/sources/catalogue-holder.ts'
import { siteUrl } from '#platform/config/public-url.ts'
import type { Config } from '#platform/config/settings.ts'
import type { Now } from '#platform/core/clock.ts'
import type { ConnectionOf } from '#platform/http/connection.ts'
import {
  type CacheableResponse,
  negotiateResponse,
  type RequestHeaders,
} from '#platform/http/response/cacheable-response.ts'
import type { HttpResponse } from '#platform/http/route.ts'
import { feedLinks } from '../pages/console-links.ts'

type ListCall = {
  query: ModelQuery
  url: string
  headers: RequestHeaders
  raw: Parameters<ConnectionOf>[0]
}

type ListDeps = {
  catalogue: Pick<CatalogueHolder, 'current'>
  config: Pick<Config, 'public_url'>
  connectionOf: ConnectionOf
  now: Now
}

/** Answers a list of all or of the allowed models from cached bytes, as JSON or as a feed. */
export function sendModelList(
  call: ListCall,
  deps: ListDeps,
  isAllowed?: (model: Model) => boolean,
): Promise<HttpResponse> {
  return negotiateResponse(call.headers, prepareList(deps, call, isAllowed))
}

function prepareList(
  { catalogue, config, connectionOf, now }: ListDeps,
  { query, url, raw }: ListCall,
  isAllowed: ((model: Model) => boolean) | undefined,
): CacheableResponse {
  const snapshot = catalogue.current()
  if (!url.includes('?') && !isAllowed) {
    const { tag, bytes } = unfilteredList(snapshot)
    return { etag: tag, type: 'application/json', bytes: () => bytes }
  }
  const matches = findModels(snapshot, query, { nowMs: now(), url, isAllowed })
  if (!query.use_rss) {
    const etag = computeListTag(snapshot, matches, 'json')
    return { etag, type: 'application/json', bytes: () => serializeList(snapshot, matches) }
  }
  // `url` has only a path and a query.
  const { pathname, search } = new URL(url, 'http://any')
  const site = siteUrl(config, connectionOf(raw).origin)
  const links = feedLinks(site, pathname + search, { toChat: query.use_rss_chat_links === true })
  // The feed contains its own URL.
  const etag = computeListTag(snapshot, matches, links.self)
  return {
    etag,
    type: feedType,
    bytes: () => cachedFeed(snapshot, etag, () => modelFeed(modelsAt(snapshot, matches.page), links)),
  }
}

/** The RSS feeds of a catalogue. The key is the list of items, because snapshots that differ only in measurements share the list. */
const feeds = new WeakMap<Snapshot['items'], Map<string, Buffer>>()
const maxFeeds = 8

/** Caches feeds, because many readers poll them without an ETag and a long feed is expensive to write. */
function cachedFeed({ items }: Snapshot, etag: string, write: () => Buffer): Buffer {
  const cachedFeeds = feeds.getOrInsertComputed(items, () => new Map())
  if (cachedFeeds.size >= maxFeeds && !cachedFeeds.has(etag)) cachedFeeds.clear()
  return cachedFeeds.getOrInsertComputed(etag, write)
}
