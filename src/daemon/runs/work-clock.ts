/** How long something works, without the times in between. */
export type WorkClock = {
  /** Whether it works from now on. */
  runs: (isWorking: boolean) => void
  /** When it will have worked for so long; undefined while it does not work. */
  reaches: (ms: number) => number | undefined
}

export function workClock(now: () => number): WorkClock {
  let workedMs = 0
  let since: number | undefined
  return {
    runs(isWorking) {
      if (isWorking === (since !== undefined)) return
      if (since !== undefined) workedMs += now() - since
      since = isWorking ? now() : undefined
    },
    reaches: (ms) => (since === undefined ? undefined : since + ms - workedMs),
  }
}
