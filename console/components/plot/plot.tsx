import { signal } from '@preact/signals'
import { clockTime } from '../../format/time.ts'
import { rem, textScale } from '../window/text-size.ts'
import { useWidth } from '../window/use-width.ts'
import { axisTicks, timeTicks } from './axis-ticks.ts'
import { Axes, Shapes } from './plot-drawing.tsx'
import { colourOf, isEmptyData, type PlotLine, stackedTops } from './plot-shapes.ts'
import { PlotTable } from './plot-table.tsx'

type PlotProps = {
  title: string
  /** The times of the values, in seconds since the epoch. */
  times: number[]
  lines: PlotLine[]
  /** Formats a value with its unit. */
  format: (value: number) => string
  height?: number
  /** Stacks the lines as areas. */
  isStacked?: boolean
  /** Integer values: the axis has integer ticks only. */
  isCount?: boolean
  /** The text for plots without amounts. By default a line at zero is drawn. */
  emptyText?: string
  /** The cursors of plots with the same group move together. */
  syncGroup?: string
}

/** The default height of a plot: larger in wider windows, within limits. In px of the default text size. */
const usualHeight = () => Math.round(Math.min(260, Math.max(168, innerWidth / textScale / 9)))
const margin = { left: 62, right: 8, top: 8, bottom: 26 }
/** The width of a time label, in px. */
const timeWidth = 70

/** The cursor: its group of plots and the index of the time. */
const cursor = signal<{ syncGroup: string; index: number }>()

/** A plot of lines over time. The cursor shows all values of a time; a table has the same values. */
export function Plot(props: PlotProps) {
  const { title, lines, height = usualHeight(), emptyText } = props
  const isEmptyPlot = isEmptyData(lines, emptyText !== undefined)
  return isEmptyPlot ? <EmptyPlot title={title} height={height} text={emptyText} /> : <PlotDrawing {...props} />
}

function PlotDrawing(props: PlotProps) {
  const {
    title,
    times,
    lines,
    format,
    height = usualHeight(),
    isStacked = false,
    isCount = false,
    syncGroup = title,
  } = props
  const [element, width] = useWidth()
  const first = times[0] ?? 0
  // The last value lasts as long as the first. Without times nothing is drawn.
  const end = times.at(-1)! + (times[1] ?? first + 1) - first
  const tops = stackedTops(lines, isStacked)
  const highest = Math.max(0, ...tops.flat().map(Number))
  const ticks = axisTicks(highest > 0 ? highest : 1, isCount)
  const [plotWidth, plotHeight] = [width - margin.left - margin.right, height - margin.top - margin.bottom]
  const x = (time: number) => margin.left + ((time - first) / (end - first)) * plotWidth
  const y = (value: number) => margin.top + (1 - value / ticks.at(-1)!) * plotHeight
  const moveCursor = (event: PointerEvent) => {
    const cursorX = (event.clientX - element.current!.getBoundingClientRect().left) / textScale
    const cursorTime = first + ((cursorX - margin.left) / plotWidth) * (end - first)
    const index = times.findLastIndex((time) => time <= cursorTime)
    cursor.value = index < 0 ? undefined : { syncGroup, index }
  }
  return (
    <figure class="plot">
      <figcaption>{title}</figcaption>
      {/* Includes the height of the legend, so that nothing moves when it appears. */}
      <div
        ref={element}
        aria-hidden="true"
        style={{ minHeight: rem(height + 22) }}
        onPointerMove={moveCursor}
        onPointerLeave={() => {
          cursor.value = undefined
        }}
      >
        {plotWidth > 0 && times.length > 0 && (
          <svg aria-hidden="true" width={rem(width)} height={rem(height)} viewBox={`0 0 ${width} ${height}`}>
            <Axes
              {...{ x, y, yTicks: ticks, format }}
              xTicks={timeTicks(first, end, Math.floor(plotWidth / timeWidth))}
              left={margin.left}
              right={width - margin.right}
              bottom={height - margin.bottom}
            />
            <Shapes {...{ lines, upperValues: tops, times, end, x, y, isStacked }} />
            <PlotReadout {...{ times, syncGroup, x }} top={margin.top} bottom={height - margin.bottom} />
          </svg>
        )}
        <Legend {...{ times, lines, format, syncGroup, isStacked }} />
      </div>
      <PlotTable title={title} times={times} lines={lines} format={format} />
    </figure>
  )
}

/** As high as a plot with lines, so that nothing moves. */
function EmptyPlot({ title, height, text }: { title: string; height: number; text: string | undefined }) {
  return (
    <figure class="plot">
      <figcaption>{title}</figcaption>
      <div class="plot-none" style={{ height: rem(height) }}>
        {text ?? 'No data in this time range'}
      </div>
    </figure>
  )
}

/** The index of the time at the cursor; -1, at which no list has an item, if the cursor is not in this group. */
const cursorIndex = (syncGroup: string) => (cursor.value?.syncGroup === syncGroup ? cursor.value.index : -1)

type ReadoutProps = { times: number[]; syncGroup: string; x: (time: number) => number; top: number; bottom: number }

function PlotReadout({ times, syncGroup, x, top, bottom }: ReadoutProps) {
  const time = times[cursorIndex(syncGroup)]
  return time === undefined ? null : <line class="reading" x1={x(time)} x2={x(time)} y1={top} y2={bottom} />
}

type LegendProps = Pick<PlotProps, 'times' | 'lines' | 'format'> & { syncGroup: string; isStacked: boolean }

/** The legend with the values at the cursor. Stacked lines show their own amount. */
function Legend({ times, lines, format, syncGroup, isStacked }: LegendProps) {
  const index = cursorIndex(syncGroup)
  const time = times[index]
  return (
    <div class="legend">
      {lines.map((line, lineIndex) => {
        const value = line.values[index]
        return (
          <span key={lineIndex}>
            <svg aria-hidden="true" width={isStacked ? 9 : 14} height="9" style={{ color: colourOf(line, lineIndex) }}>
              {isStacked ? (
                <rect class="area" width="9" height="9" />
              ) : (
                <path class="line" d="M0 5H14" stroke-dasharray={line.dash?.join(' ')} />
              )}
            </svg>
            {line.label} {time !== undefined && <b>{typeof value === 'number' ? format(value) : '–'}</b>}
          </span>
        )
      })}
      {time !== undefined && <span>{clockTime(new Date(time * 1000), new Date())}</span>}
    </div>
  )
}
