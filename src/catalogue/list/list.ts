import { createHash } from 'node:crypto'
import { joinItems } from '../index/items.ts'
import type { Model } from '../index/model.ts'
import { selectModels } from '../index/select.ts'
import type { Snapshot } from '../index/snapshot.ts'
import { defaultLimit, type ModelQuery } from './query.ts'

/** A list of models, or a page of it, found but not yet written. */
export type FoundModels = {
  /** Places in the snapshot, in the order asked for. */
  page: Uint32Array
  /** The number of items on all pages together. */
  total: number
  /** The path and query of the next page. */
  next: string | null
}

/** @param url the path and query the client asked with: the next page keeps its parameters. */
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
  const next = end < found.length ? atOffset(url, end) : null
  return { page: found.subarray(from, end), total: found.length, next }
}

function atOffset(url: string, offset: number): string {
  const { pathname, searchParams } = new URL(url, 'http://any')
  searchParams.set('offset', String(offset))
  return `${pathname}?${searchParams}`
}

/** The list as JSON. */
export function listBytes(snapshot: Snapshot, { page, total, next }: FoundModels): Buffer {
  const after = `],"total_count":${total},"links":{"next":${JSON.stringify(next)}}}`
  return joinItems(snapshot.items, page, '{"data":[', after)
}

/** Names what a list says without writing it: equal lists have equal tags, also on another server. */
export function listTag(snapshot: Snapshot, { page, total, next }: FoundModels, form: string): string {
  const { buffer, byteOffset, byteLength } = page
  const digest = createHash('sha1')
    .update(`${snapshot.items.digest}\n${form}\n${total}\n${next}\n`)
    .update(new Uint8Array(buffer, byteOffset, byteLength))
    .digest('base64url')
  return `W/"${digest}"`
}

export type WholeList = { tag: string; bytes: Buffer }

const wholeLists = new WeakMap<Snapshot['items'], WholeList>()

/** The list without any parameter, which most clients ask for. It is written once for each catalogue. */
export function wholeList(snapshot: Snapshot): WholeList {
  const cached = wholeLists.get(snapshot.items)
  if (cached) return cached
  const found = findModels(snapshot, {}, { nowMs: 0, url: '' })
  const made = { tag: listTag(snapshot, found, 'json'), bytes: listBytes(snapshot, found) }
  wholeLists.set(snapshot.items, made)
  return made
}
