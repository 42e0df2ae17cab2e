/** The most batches that are read at a time, and the most look-ups in one batch. */
const maxAtOnce = 4
const maxBatch = 512

type Waiting<T> = { key: string; resolve: (found: T | undefined) => void; reject: (error: unknown) => void }

/**
 * Turns single look-ups into batches: a look-up that comes during a read joins the next batch. Many look-ups at once
 * cost few reads, and none waits for longer than a few of them.
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
