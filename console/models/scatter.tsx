import { axisTicks } from '../components/plot/axis-ticks.ts'
import { rem, textScale } from '../components/window/text-size.ts'
import { useWidth } from '../components/window/use-width.ts'
import { countText } from '../format/count.ts'
import { placeLabels } from './dot-labels.ts'
import { logScalePosition, logTicks, type Point, paretoFront } from './pareto.ts'
import { formatPrice } from './price.tsx'

/** Half of the window height within limits, for many labels. */
const plotHeight = (windowHeight: number) => Math.round(Math.min(720, Math.max(380, windowHeight / 2)))
const margin = { left: 44, right: 16, top: 24, bottom: 34 }

type ScatterProps = {
  title: string
  /** The name of the score, with its unit. */
  valueName: string
  points: Point[]
  pathOf: (id: string) => string
}

/** A scatter plot of price and a score. A line joins the Pareto front. */
export function Scatter({ title, valueName, points: all, pathOf }: ScatterProps) {
  const [element, width] = useWidth()
  const height = plotHeight(innerHeight / textScale)
  // A logarithmic axis has no zero.
  const points = all.filter(({ price }) => price > 0)
  const freeCount = all.length - points.length
  const front = paretoFront(points)
  return (
    <figure class="plot scatter">
      <figcaption>
        {title}
        {freeCount > 0 && <span class="dim"> (excludes {countText(freeCount, 'model')} without a price)</span>}
      </figcaption>
      <div ref={element} class={points.length === 0 ? 'plot-none' : undefined} style={{ height: rem(height) }}>
        {width > 0 && points.length > 0 && (
          <ScatterDrawing points={points} front={front} {...{ width, height, valueName, pathOf }} />
        )}
        {points.length === 0 && `No model has a price and a value for ${valueName}`}
      </div>
      {all.length > 0 && (
        <details>
          <summary>Table</summary>
          <ScatterTable points={all} front={front} valueName={valueName} />
        </details>
      )}
    </figure>
  )
}

type DrawingProps = Pick<ScatterProps, 'points' | 'valueName' | 'pathOf'> & {
  front: Point[]
  width: number
  height: number
}

function ScatterDrawing({ points, front, width, height, valueName, pathOf }: DrawingProps) {
  const prices = points.map(({ price }) => price)
  // Leaves a margin beside the outermost dots.
  const range: [number, number] = [Math.min(...prices) / 1.3, Math.max(...prices) * 1.3]
  const valueTicks = axisTicks(Math.max(...points.map(({ score }) => score)))
  const maxValue = valueTicks.at(-1)!
  const x = (price: number) => margin.left + logScalePosition(price, range) * (width - margin.left - margin.right)
  const y = (score: number) => height - margin.bottom - (score / maxValue) * (height - margin.top - margin.bottom)
  const frontPoints = new Set(front)
  return (
    <svg
      width={rem(width)}
      height={rem(height)}
      viewBox={`0 0 ${width} ${height}`}
      role="group"
      aria-label={`Price against ${valueName}`}
    >
      {valueTicks.map((mark) => (
        <g key={mark} class="mark">
          <line x1={margin.left} x2={width - margin.right} y1={y(mark)} y2={y(mark)} />
          <text x={margin.left - 6} y={y(mark) + 4} text-anchor="end">
            {mark}
          </text>
        </g>
      ))}
      {logTicks(range).map((mark) => (
        <g key={mark} class="mark">
          <line x1={x(mark)} x2={x(mark)} y1={margin.top} y2={height - margin.bottom} />
          <text x={x(mark)} y={height - margin.bottom + 15} text-anchor="middle">
            {formatPrice(mark)}
          </text>
        </g>
      ))}
      <text x={width - margin.right} y={height - 4} text-anchor="end">
        price per million tokens, 75 % prompt
      </text>
      <text x={margin.left} y={10}>
        {valueName}
      </text>
      <polyline class="front" points={front.map(({ price, score }) => `${x(price)},${y(score)}`).join(' ')} />
      {points.map((point) => (
        <a key={point.id} href={pathOf(point.id)} aria-label={pointLabel(point, valueName)}>
          <Dot x={x(point.price)} y={y(point.score)} isOnFront={frontPoints.has(point)} />
          <title>{pointLabel(point, valueName)}</title>
        </a>
      ))}
      <Labels points={points} front={front} x={x} y={y} width={width} />
    </svg>
  )
}

const pointLabel = ({ id, price, score }: Point, valueName: string) =>
  `${id}: ${formatPrice(price)}, ${valueName} ${Number(score.toPrecision(3))}`

/** Dots of the front are filled, others are rings. An invisible circle enlarges the click target. */
function Dot({ x, y, isOnFront }: { x: number; y: number; isOnFront: boolean }) {
  return (
    <>
      <circle cx={x} cy={y} r={12} class="click-target" />
      <circle cx={x} cy={y} r={isOnFront ? 4.5 : 3.5} class={isOnFront ? 'dot-front' : 'dot-other'} />
    </>
  )
}

type LabelsProps = {
  points: Point[]
  front: Point[]
  x: (n: number) => number
  y: (n: number) => number
  width: number
}

/** Labels of dots, those of the front first, as space allows. */
function Labels({ points, front, x, y, width }: LabelsProps) {
  const frontPoints = new Set(front)
  const labelledPoints = [...front.toReversed(), ...points.filter((point) => !frontPoints.has(point))]
  const dots = labelledPoints.map(({ id, price, score }) => ({ name: id.split('/').at(-1)!, x: x(price), y: y(score) }))
  return (
    <g class="names">
      {placeLabels(dots, { left: margin.left, right: width }).map(({ name, x, y, isLeft }) => (
        <text key={`${name} ${x} ${y}`} class="name" x={x} y={y} text-anchor={isLeft ? 'end' : 'start'}>
          {name}
        </text>
      ))}
    </g>
  )
}

function ScatterTable({ points, front, valueName }: { points: Point[]; front: Point[]; valueName: string }) {
  const frontPoints = new Set(front)
  return (
    <section class="plot-table" aria-label={`Price against ${valueName}, as a table`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">model</th>
            <th scope="col" class="number">
              price
            </th>
            <th scope="col" class="number">
              {valueName}
            </th>
            <th scope="col">best for its price</th>
          </tr>
        </thead>
        <tbody>
          {[...points]
            .sort((a, b) => b.score - a.score)
            .map((point) => (
              <tr key={point.id}>
                <td>{point.id}</td>
                <td class="number">{formatPrice(point.price)}</td>
                <td class="number">{Number(point.score.toPrecision(3))}</td>
                <td>{frontPoints.has(point) ? 'yes' : ''}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  )
}
