/** Collects items without waiting, and processes several together. */
export type Batches<Item> = {
  add: (item: Item) => void
  /** Processes all waiting items. */
  flush: () => void
}

/**
 * Processes each item, but many in a row. Code that runs once per request finds neither its instructions nor its data
 * in the processor's caches, so its first run takes several times as long as the second.
 * @param most the limit of waiting items; `ms` the time limit.
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
