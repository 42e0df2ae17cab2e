export type PlotLine = {
  label: string
  values: (number | null)[]
  /** Dashed lines are told apart without colour. */
  dash?: number[]
  /** A custom property such as `--bad`; else the next of the series' colours. */
  colour?: string
}

export type Place = (value: number) => number
/** What a line becomes: where it goes, or what it covers, and the points that are marked. */
export type Shape = { path: string; points: { x: number; y: number }[] }

const seriesColours = 6
/** Fewer values than these are marked each. */
const marked = 20

export const colourOf = ({ colour }: PlotLine, index: number) =>
  `var(${colour ?? `--series-${(index % seriesColours) + 1}`})`

/** What each line is drawn up to: of lines that add up, on top of those before it. */
export function topsOf(lines: PlotLine[], isStacked: boolean): (number | null)[][] {
  if (!isStacked) return lines.map(({ values }) => values)
  const sums: number[] = []
  return lines.map(({ values }) =>
    values.map((value, index) => {
      sums[index] = (sums[index] ?? 0) + (value ?? 0)
      return sums[index]
    }),
  )
}

/** Whether there is nothing to draw: no value at all, or, of amounts, none but zero. */
export const isNothing = (lines: PlotLine[], isAmount: boolean): boolean =>
  lines.every(({ values }) => values.every((value) => value === null || (isAmount && value === 0)))

/** A line from value to value. One that is missing leaves no gap: those beside it are joined. */
export function lineShape(tops: (number | null)[], times: number[], x: Place, y: Place): Shape {
  const points = tops.flatMap((top, index) => (top === null ? [] : [{ x: x(times[index]!), y: y(top) }]))
  return {
    path: points.map((point, index) => `${index ? 'L' : 'M'}${point.x.toFixed(1)} ${point.y.toFixed(1)}`).join(''),
    points: points.length < marked ? points : [],
  }
}

/** All below a line of steps: a value holds until the next. @param ends the end of the last one. */
export function areaShape(tops: (number | null)[], times: number[], ends: number, x: Place, y: Place): Shape {
  const begin = `M${x(times[0] ?? ends).toFixed(1)} ${y(0).toFixed(1)}`
  const steps = tops.map((top, index) => `V${y(top ?? 0).toFixed(1)}H${x(times[index + 1] ?? ends).toFixed(1)}`)
  return { path: `${begin}${steps.join('')}V${y(0).toFixed(1)}Z`, points: [] }
}
