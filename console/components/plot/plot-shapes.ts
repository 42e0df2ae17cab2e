export type PlotLine = {
  label: string
  values: (number | null)[]
  /** The dash pattern, which distinguishes lines without colour. */
  dash?: number[]
  /** A CSS custom property such as `--bad`. Defaults to the next colour of the series. */
  colour?: string
}

/** Converts a time or a value to its position in the drawing, in px. */
export type Scale = (value: number) => number
/** The path of a line or an area, and the marked points. */
type Shape = { path: string; points: { x: number; y: number }[] }

const seriesColours = 6
/** Lines with fewer values than this get a mark for each value. */
const unmarkedFrom = 20

export const seriesColour = (index: number) => `var(--series-${(index % seriesColours) + 1})`

export const colourOf = ({ colour }: PlotLine, index: number) => (colour ? `var(${colour})` : seriesColour(index))

/** The upper values of each line. Stacked lines are added to the lines before. */
export function stackedTops(lines: PlotLine[], isStacked: boolean): (number | null)[][] {
  if (!isStacked) return lines.map(({ values }) => values)
  const sums: number[] = []
  return lines.map(({ values }) =>
    values.map((value, index) => {
      sums[index] = (sums[index] ?? 0) + (value ?? 0)
      return sums[index]
    }),
  )
}

/** Whether all values are missing, or zero if they are amounts. */
export const isEmptyData = (lines: PlotLine[], isAmount: boolean): boolean =>
  lines.every(({ values }) => values.every((value) => value === null || (isAmount && value === 0)))

/** A line through all values. Missing values leave no gap. */
export function lineShape(tops: (number | null)[], times: number[], x: Scale, y: Scale): Shape {
  const points = tops.flatMap((top, index) => (top === null ? [] : [{ x: x(times[index]!), y: y(top) }]))
  return {
    path: points.map((point, index) => `${index ? 'L' : 'M'}${point.x.toFixed(1)} ${point.y.toFixed(1)}`).join(''),
    points: points.length < unmarkedFrom ? points : [],
  }
}

/** The area below a step line. @param end the end of the last step. */
export function areaShape(tops: (number | null)[], times: number[], end: number, x: Scale, y: Scale): Shape {
  const start = `M${x(times[0] ?? end).toFixed(1)} ${y(0).toFixed(1)}`
  const steps = tops.map((top, index) => `V${y(top ?? 0).toFixed(1)}H${x(times[index + 1] ?? end).toFixed(1)}`)
  return { path: `${start}${steps.join('')}V${y(0).toFixed(1)}Z`, points: [] }
}
