const maxConcurrentBatches = 4
/** The maximum number of lookups in one batch. */
const maxBatch = 512

type PendingLookup<T> = { key: string; resolve: (found: T | undefined) => void; reject: (error: unknown) => void }

/**
 * Combines single lookups into batches. A lookup that arrives while the maximum number of batches is being read waits for
 * the next batch.
 */
export function batchLookups<T>(read: (keys: string[]) => Promise<Map<string, T>>) {
  const pendingLookups: PendingLookup<T>[] = []
  let activeBatches = 0

  async function readWaiting(): Promise<void> {
    activeBatches++
    while (pendingLookups.length > 0) {
      const batch = pendingLookups.splice(0, maxBatch)
      try {
        const found = await read(batch.map(({ key }) => key))
        for (const { key, resolve } of batch) resolve(found.get(key))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    activeBatches--
  }

  return (key: string): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      pendingLookups.push({ key, resolve, reject })
      if (activeBatches < maxConcurrentBatches) void readWaiting()
    })
}
