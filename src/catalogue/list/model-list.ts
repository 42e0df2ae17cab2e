import { createHash } from 'node:crypto'
import { joinItems } from '../index/items.ts'
import type { Model } from '../index/model.ts'
import { selectModels } from '../index/select.ts'
import type { Snapshot } from '../index/snapshot.ts'
import { defaultLimit, type ModelQuery } from './model-query.ts'

/** A page of a list of models, not serialized yet. */
type FoundModels = {
  /** Indices in the snapshot, in the requested order. */
  page: Uint32Array
  /** The number of items on all pages. */
  total: number
  /** The path and query of the next page. */
  next: string | null
}

/** @param url the path and query of the request, whose parameters the URL of the next page repeats. */
export function findModels(
  snapshot: Snapshot,
  query: ModelQuery,
  { nowMs, url, isAllowed }: { nowMs: number; url: string; isAllowed?: ((model: Model) => boolean) | undefined },
): FoundModels {
  const selected = selectModels(snapshot, query, nowMs)
  const found = isAllowed ? selected.filter((at) => isAllowed(snapshot.models[at]!)) : selected
  const isPaged = query.offset !== undefined || query.limit !== undefined
  if (!isPaged) return { page: found, total: found.length, next: null }
  const from = query.offset ?? 0
  const end = from + (query.limit ?? defaultLimit)
  const next = end < found.length ? urlWithOffset(url, end) : null
  return { page: found.subarray(from, end), total: found.length, next }
}

function urlWithOffset(url: string, offset: number): string {
  // The host is only needed for parsing.
  const { pathname, searchParams } = new URL(url, 'http://any')
  searchParams.set('offset', String(offset))
  return `${pathname}?${searchParams}`
}

/** Serializes the list to JSON. */
export function serializeList(snapshot: Snapshot, { page, total, next }: FoundModels): Buffer {
  const listEnd = `],"total_count":${total},"links":{"next":${JSON.stringify(next)}}}`
  return joinItems(snapshot.items, page, '{"data":[', listEnd)
}

/**
 * Returns the ETag of a list without serializing it. Equal lists have equal tags on all servers.
 * @param variant distinguishes responses with the same models: `json`, or the URL of a feed.
 */
export function computeListTag(snapshot: Snapshot, { page, total, next }: FoundModels, variant: string): string {
  const { buffer, byteOffset, byteLength } = page
  const digest = createHash('sha1')
    .update(`${snapshot.items.digest}\n${variant}\n${total}\n${next}\n`)
    .update(new Uint8Array(buffer, byteOffset, byteLength))
    .digest('base64url')
  return `W/"${digest}"`
}

type SerializedList = { tag: string; bytes: Buffer }

const unfilteredLists = new WeakMap<Snapshot['items'], SerializedList>()

/** Returns the list without filters, which most clients request. Serialized once per catalogue. */
export function unfilteredList(snapshot: Snapshot): SerializedList {
  const cached = unfilteredLists.get(snapshot.items)
  if (cached) return cached
  const found = findModels(snapshot, {}, { nowMs: 0, url: '' })
  const list = { tag: computeListTag(snapshot, found, 'json'), bytes: serializeList(snapshot, found) }
  unfilteredLists.set(snapshot.items, list)
  return list
}
