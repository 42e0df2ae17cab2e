/** The maximum number of concurrent batches, and of look-ups in one batch. */
const maxAtOnce = 4
const maxBatch = 512

type Waiting<T> = { key: string; resolve: (found: T | undefined) => void; reject: (error: unknown) => void }

/**
 * Combines single look-ups into batches: look-ups during a read wait for the next batch. So many concurrent look-ups need
 * few reads, and none waits for more than a few reads.
 */
export function batched<T>(read: (keys: string[]) => Promise<Map<string, T>>) {
  const waiting: Waiting<T>[] = []
  let underway = 0

  async function readWaiting(): Promise<void> {
    underway++
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxBatch)
      try {
        const found = await read(batch.map(({ key }) => key))
        for (const { key, resolve } of batch) resolve(found.get(key))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    underway--
  }

  return (key: string): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (underway < maxAtOnce) void readWaiting()
    })
}
