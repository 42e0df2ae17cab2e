/** Counts working time, without pauses. */
export type WorkClock = {
  /** Starts or pauses the clock. */
  setWorking: (isWorking: boolean) => void
  /** When the working time will reach a duration; undefined while paused. */
  reaches: (ms: number) => number | undefined
}

export function workClock(now: () => number): WorkClock {
  let workedMs = 0
  let since: number | undefined
  return {
    setWorking(isWorking) {
      if (isWorking === (since !== undefined)) return
      if (since !== undefined) workedMs += now() - since
      since = isWorking ? now() : undefined
    },
    reaches: (ms) => (since === undefined ? undefined : since + ms - workedMs),
  }
}
