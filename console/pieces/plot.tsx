import { useEffect, useRef } from 'preact/hooks'
import type uPlot from 'uplot'
import { clockTime } from '../format/time.ts'
import { drawnValues, type PlotLine, plotOptions } from './plot-options.ts'
import { theme } from './theme.ts'

export type { PlotLine } from './plot-options.ts'

type PlotProps = {
  title: string
  /** The instants of the values, in seconds since the epoch. */
  times: number[]
  lines: PlotLine[]
  /** A value with its unit. */
  shown: (value: number) => string
  height?: number
  isLog?: boolean
  /** Amounts that add up: each line is an area on top of those before it. */
  isStacked?: boolean
  /** Things that are whole: the axis has no halves of them. */
  isCount?: boolean
  /** The cursors of plots with the same name move together. */
  together?: string
}

/** Lines over time, the cursor reads all of them at once, and a table with the same figures behind. */
export function Plot({
  title,
  times,
  lines,
  shown,
  height = 180,
  isLog = false,
  isStacked = false,
  isCount = false,
  together,
}: PlotProps) {
  const place = useRef<HTMLDivElement>(null)
  const look = theme.value
  useEffect(() => {
    let plot: uPlot | undefined
    let isGone = false
    const element = place.current!
    const draw = (UPlot: typeof uPlot) => {
      plot?.destroy()
      const options = plotOptions(UPlot, { lines, shown, height, isLog, isStacked, isCount, together }, element)
      plot = new UPlot(options, [times, ...drawnValues(lines, isStacked)], element)
    }
    const resize = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height }))
    const dark = matchMedia('(prefers-color-scheme: dark)')
    let redraw = () => {}
    void import('uplot').then(({ default: UPlot }) => {
      if (isGone) return
      redraw = () => draw(UPlot)
      redraw()
      resize.observe(element)
      dark.addEventListener('change', redraw)
    })
    return () => {
      isGone = true
      resize.disconnect()
      dark.removeEventListener('change', redraw)
      plot?.destroy()
    }
  }, [times, lines, height, isLog, isStacked, isCount, together, look])
  return (
    <figure class="plot">
      <figcaption>{title}</figcaption>
      {/* With the legend, which is below: nothing jumps when it comes. */}
      <div ref={place} aria-hidden="true" style={{ minHeight: `${height + 22}px` }} />
      <Behind title={title} times={times} lines={lines} shown={shown} />
    </figure>
  )
}

/** The same figures as a table, the newest first. */
function Behind({ title, times, lines, shown }: Pick<PlotProps, 'title' | 'times' | 'lines' | 'shown'>) {
  const newestFirst = times.map((time, index) => ({ time, index })).reverse()
  return (
    <details>
      <summary>Table</summary>
      <section class="plot-table" aria-label={`${title}, as a table`} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">when</th>
              {lines.map(({ label }) => (
                <th key={label} scope="col" class="number">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {newestFirst.map(({ time, index }) => (
              <tr key={time}>
                <td>{clockTime(new Date(time * 1000), new Date())}</td>
                {lines.map(({ label, values }) => (
                  <td key={label} class="number">
                    {typeof values[index] === 'number' ? shown(values[index]) : '–'}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  )
}
