import { createHash } from 'node:crypto'
import type { Model } from './model.ts'
import { modelItem } from './model-item.ts'

/** The JSON of every model. Answers are assembled from slices of it. */
export type Items = {
  /** All items in the snapshot's order, each followed by a comma. */
  bytes: Buffer
  /** The start of each item, and the end of the last one. */
  starts: Uint32Array
  /** A digest of `bytes`: the same on every server with the same catalogue. */
  digest: string
}

export function encodeItems(models: readonly Model[]): Items {
  const parts = models.map((model) => Buffer.from(`${JSON.stringify(modelItem(model))},`))
  const starts = new Uint32Array(models.length + 1)
  parts.forEach((part, at) => {
    starts[at + 1] = starts[at]! + part.length
  })
  const bytes = Buffer.concat(parts)
  return { bytes, starts, digest: createHash('sha256').update(bytes).digest('base64url') }
}

/** Returns the selected items between `before` and `after`. Adjacent items are copied together. */
export function joinItems(items: Items, selected: Uint32Array, before: string, after: string): Buffer {
  const { bytes, starts } = items
  let size = 0
  for (const at of selected) size += starts[at + 1]! - starts[at]!
  const tail = Buffer.from(after)
  const joined = Buffer.allocUnsafe(Buffer.byteLength(before) + size + tail.length)
  let end = joined.write(before)
  for (let place = 0; place < selected.length; ) {
    const from = selected[place]!
    let to = from + 1
    for (place++; place < selected.length && selected[place] === to; place++) to++
    end += bytes.copy(joined, end, starts[from], starts[to])
  }
  // Omit the last comma.
  if (selected.length > 0) end--
  end += tail.copy(joined, end)
  return joined.subarray(0, end)
}
