/** Counts working time, without pauses. */
type WorkClock = {
  /** Starts or pauses the clock. */
  setWorking: (isWorking: boolean) => void
  /** When the working time will reach a duration; undefined while paused. */
  reachedAt: (ms: number) => number | undefined
}

export function createWorkClock(elapsed: () => number): WorkClock {
  let workedMs = 0
  let workingSince: number | undefined
  return {
    setWorking(isWorking) {
      if (isWorking === (workingSince !== undefined)) return
      if (workingSince !== undefined) workedMs += elapsed() - workingSince
      workingSince = isWorking ? elapsed() : undefined
    },
    reachedAt: (ms) => (workingSince === undefined ? undefined : workingSince + ms - workedMs),
  }
}
