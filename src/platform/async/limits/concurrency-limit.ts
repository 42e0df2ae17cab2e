/** @returns a function that runs tasks in the order of its calls, at most `limit` of them at the same time. */
export function concurrencyLimit(limit: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (task) => {
    if (running < limit) running++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await task()
    } finally {
      const startNextTask = waiting.shift()
      // The next task starts instead of the ended one, so `running` does not change.
      if (startNextTask) startNextTask()
      else running--
    }
  }
}
