/** Round numbers from 0 to at least `high`, which is above 0. @param isWhole integers only. */
export function axisTicks(high: number, isWhole = false): number[] {
  const aboutFourSteps = high / 4
  const power = 10 ** Math.floor(Math.log10(aboutFourSteps))
  const round = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= aboutFourSteps)!
  const step = isWhole ? Math.max(1, round) : round
  // Without the rounding errors of floats, such as 0.30000000000000004.
  return Array.from({ length: Math.ceil(high / step) + 1 }, (_, index) => Number((index * step).toPrecision(6)))
}

/** Possible steps between the ticks of a time axis, in minutes. */
const timeSteps = [1, 5, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080, 20_160, 43_200]

/** Round local times between two times, in seconds since the epoch. @param maxTicks the maximum number. */
export function timeTicks(from: number, to: number, maxTicks: number): number[] {
  const step = timeSteps.find((minutes) => (to - from) / 60 / minutes <= maxTicks) ?? timeSteps.at(-1)!
  const day = new Date(from * 1000)
  const ticks: number[] = []
  for (let count = 0; ; count++) {
    // Calendar arithmetic: a day can have 23 hours.
    const at = new Date(day.getFullYear(), day.getMonth(), day.getDate(), 0, count * step).getTime() / 1000
    if (at > to) return ticks
    if (at >= from) ticks.push(at)
  }
}
