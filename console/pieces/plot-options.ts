import type uPlot from 'uplot'
import { axisTimes, clockTime } from '../format/time.ts'

export type PlotLine = {
  label: string
  values: (number | null)[]
  /** Dashed lines are told apart without colour. */
  dash?: number[]
  /** A custom property such as `--bad`; else the next of the series' colours. */
  colour?: string
}

type Look = {
  lines: PlotLine[]
  shown: (value: number) => string
  height: number
  isLog: boolean
  isStacked: boolean
  isCount: boolean
  together: string | undefined
}

const seriesColours = 6

/** Steps of an axis of things that are whole. */
const wholeSteps = [0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((power) => [1, 2, 5].map((step) => step * 10 ** power))

/** What is drawn: of lines that add up, each on top of those before it. The topmost comes first, as it is behind. */
export function drawnValues(lines: PlotLine[], isStacked: boolean): (number | null)[][] {
  if (!isStacked) return lines.map(({ values }) => values)
  const sums: number[] = []
  const stacked = lines.map(({ values }) =>
    values.map((value, index) => {
      sums[index] = (sums[index] ?? 0) + (value ?? 0)
      return sums[index]
    }),
  )
  return stacked.reverse()
}

/** How a plot of these lines looks at this place. Canvases know no custom properties: colours are read there. */
export function plotOptions(UPlot: typeof uPlot, look: Look, element: HTMLElement): uPlot.Options {
  const { lines, shown, height, isLog, isStacked, isCount, together } = look
  const probe = element.appendChild(document.createElement('span'))
  const computed = (colour: string) => {
    probe.style.color = colour
    return getComputedStyle(probe).color
  }
  const font = `11px ${getComputedStyle(element).fontFamily}`
  const axis = {
    stroke: computed('var(--dim)'),
    grid: { stroke: computed('var(--line)'), width: 1 },
    ticks: { show: false },
    font,
  }
  const series = lines.map((line, index) => seriesOf(UPlot, line, index, { shown, isStacked, computed }))
  probe.remove()
  return {
    width: element.clientWidth,
    height,
    padding: [8, 8, 0, 0],
    cursor: { y: false, ...(together && { sync: { key: together } }) },
    legend: { live: true },
    scales: { y: isLog ? { distr: 3 } : { range: (_plot, _min, max) => [0, max > 0 ? max * 1.08 : 1] } },
    axes: [
      { ...axis, size: 26, values: (_plot, times) => axisTimes(times) },
      {
        ...axis,
        size: 62,
        ...(isCount && { incrs: wholeSteps }),
        values: (_plot, values) => values.map((value) => (value === null ? '' : shown(value))),
      },
    ],
    series: [
      {
        label: ' ',
        value: (_plot, value) => (value === null ? '' : clockTime(new Date(value * 1000), new Date())),
      },
      ...(isStacked ? series.reverse() : series),
    ],
  }
}

type Shared = { shown: (value: number) => string; isStacked: boolean; computed: (colour: string) => string }

function seriesOf(
  UPlot: typeof uPlot,
  { label, dash, values, colour }: PlotLine,
  index: number,
  { shown, isStacked, computed }: Shared,
): uPlot.Series {
  const own = `var(${colour ?? `--series-${(index % seriesColours) + 1}`})`
  return {
    label,
    width: isStacked ? 0 : 1.5,
    stroke: computed(own),
    ...(isStacked && {
      fill: computed(`color-mix(in srgb, ${own} 80%, var(--bg))`),
      paths: UPlot.paths.stepped!({ align: 1 }),
    }),
    spanGaps: true,
    points: { show: !isStacked && values.filter((value) => value !== null).length < 20, size: 4 },
    ...(dash && { dash }),
    // Of an area its own amount, not where it ends.
    value: (_plot, _drawn, _series, at) => {
      if (at === null || at === undefined) return ''
      const value = values[at]
      return typeof value === 'number' ? shown(value) : '–'
    },
  }
}
