/** Takes items at once, and acts on several of them together. */
export type Batches<Item> = {
  add: (item: Item) => void
  /** Acts on all that wait. */
  flush: () => void
}

/**
 * Acts on each item, but on many in a row: what runs once for each request finds neither its code nor its data in the
 * processor's caches, and takes several times as long as it would the second time.
 * @param most how many wait at most, and `ms` for how long.
 */
export function inBatches<Item>({ most, ms }: { most: number; ms: number }, act: (item: Item) => void): Batches<Item> {
  let waiting: Item[] = []
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const items = waiting
    waiting = []
    for (const item of items) act(item)
  }
  return {
    add(item) {
      waiting.push(item)
      if (waiting.length >= most) flush()
      else timer ??= setTimeout(flush, ms)
    },
    flush,
  }
}
