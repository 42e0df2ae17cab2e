import { axisTimes } from '../../format/time.ts'
import { areaShape, colourOf, lineShape, type PlotLine, type Scale } from './plot-shapes.ts'

/** Labels closer to the right edge than this would be cut off, in px. */
const halfLabelPx = 12

type AxesProps = {
  x: Scale
  y: Scale
  /** The ticks of the value axis. */
  yTicks: number[]
  /** The ticks of the time axis, in seconds since the epoch. */
  xTicks: number[]
  left: number
  right: number
  bottom: number
  format: (value: number) => string
}

export function Axes({ x, y, yTicks, xTicks, left, right, bottom, format }: AxesProps) {
  const labels = axisTimes(xTicks)
  return (
    <g class="mark">
      {yTicks.map((tick) => (
        <g key={tick}>
          <line x1={left} x2={right} y1={y(tick)} y2={y(tick)} />
          <text x={left - 6} y={y(tick) + 4} text-anchor="end">
            {format(tick)}
          </text>
        </g>
      ))}
      {xTicks.map((time, index) => (
        <g key={time}>
          <line x1={x(time)} x2={x(time)} y1={y(yTicks.at(-1)!)} y2={bottom} />
          <text
            // A label at the right end of the axis ends at the edge of the drawing, 8 px further right.
            x={x(time) > right - halfLabelPx ? right + 8 : x(time)}
            y={bottom + 16}
            text-anchor={x(time) > right - halfLabelPx ? 'end' : 'middle'}
          >
            {labels[index]}
          </text>
        </g>
      ))}
    </g>
  )
}

type ShapesProps = {
  lines: PlotLine[]
  /** For each line, its values at `times`; with stacked areas their upper edges. */
  upperValues: (number | null)[][]
  times: number[]
  /** The end of the last step of an area. */
  end: number
  x: Scale
  y: Scale
  isStacked: boolean
}

export function Shapes({ lines, upperValues, times, end, x, y, isStacked }: ShapesProps) {
  const shapes = lines.map((line, index) => {
    const { path, points } = isStacked
      ? areaShape(upperValues[index]!, times, end, x, y)
      : lineShape(upperValues[index]!, times, x, y)
    return (
      <g key={index} style={{ color: colourOf(line, index) }}>
        <path class={isStacked ? 'area' : 'line'} d={path} stroke-dasharray={line.dash?.join(' ')} />
        {points.map((point) => (
          <circle key={point.x} cx={point.x} cy={point.y} r={2} />
        ))}
      </g>
    )
  })
  // The topmost area extends to the axis, behind the others.
  return <>{isStacked ? shapes.reverse() : shapes}</>
}
