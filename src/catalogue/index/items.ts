import { createHash } from 'node:crypto'
import type { Model } from './model.ts'
import { toModelItem } from './model-item.ts'

/** The JSON of every model. Responses are assembled from slices of it. */
export type Items = {
  /** All items in the snapshot's order, each followed by a comma. */
  bytes: Buffer
  /** The start of each item, and the end of the last one. */
  starts: Uint32Array
  /** A digest of `bytes`: the same on every server with the same catalogue. */
  digest: string
}

export function encodeItems(models: readonly Model[]): Items {
  const parts = models.map((model) => Buffer.from(`${JSON.stringify(toModelItem(model))},`))
  const starts = new Uint32Array(models.length + 1)
  parts.forEach((part, at) => {
    starts[at + 1] = starts[at]! + part.length
  })
  const bytes = Buffer.concat(parts)
  return { bytes, starts, digest: createHash('sha256').update(bytes).digest('base64url') }
}

/** Returns the selected items between `prefix` and `suffix`. Adjacent items are copied together. */
export function joinItems(items: Items, selected: Uint32Array, prefix: string, suffix: string): Buffer {
  const { bytes, starts } = items
  let size = 0
  for (const at of selected) size += starts[at + 1]! - starts[at]!
  const tail = Buffer.from(suffix)
  const joined = Buffer.allocUnsafe(Buffer.byteLength(prefix) + size + tail.length)
  let end = joined.write(prefix)
  for (let position = 0; position < selected.length; ) {
    const from = selected[position]!
    let to = from + 1
    for (position++; position < selected.length && selected[position] === to; position++) to++
    end += bytes.copy(joined, end, starts[from], starts[to])
  }
  // Omit the last comma.
  if (selected.length > 0) end--
  end += tail.copy(joined, end)
  return joined.subarray(0, end)
}
