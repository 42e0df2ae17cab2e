import { useEffect, useRef } from 'preact/hooks'
import type uPlot from 'uplot'
import { clockTime } from '../format/time.ts'

export type Line = {
  label: string
  values: (number | null)[]
  /** Dashed lines are told apart without colour. */
  dash?: number[]
}

type PlotProps = {
  title: string
  /** The instants of the values, in seconds since the epoch. */
  times: number[]
  lines: Line[]
  /** A value with its unit. */
  shown: (value: number) => string
  height?: number
  isLog?: boolean
}

/** Lines over time, the cursor reads all of them at once, and a table with the same figures behind. */
export function Plot({ title, times, lines, shown, height = 180, isLog = false }: PlotProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let plot: uPlot | undefined
    let isGone = false
    const element = place.current!
    const resize = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height }))
    void import('uplot').then(({ default: UPlot }) => {
      if (isGone) return
      plot = new UPlot(
        optionsOf({ title, lines, shown, height, isLog }, element),
        [times, ...lines.map(({ values }) => values)],
        element,
      )
      resize.observe(element)
    })
    return () => {
      isGone = true
      resize.disconnect()
      plot?.destroy()
    }
  }, [title, times, lines, height, isLog])
  return (
    <figure class="plot">
      <figcaption>{title}</figcaption>
      <div ref={place} aria-hidden="true" style={{ minHeight: `${height}px` }} />
      <details>
        <summary>Table</summary>
        <div class="plot-table">
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
              {times.map((time, index) => (
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
        </div>
      </details>
    </figure>
  )
}

type Options = Pick<PlotProps, 'title' | 'lines' | 'shown'> & { height: number; isLog: boolean }

/** Canvases know no custom properties: colours are read where the plot stands. */
function optionsOf({ lines, shown, height, isLog }: Options, element: HTMLElement): uPlot.Options {
  const style = getComputedStyle(element)
  const probe = document.createElement('span')
  element.append(probe)
  const colour = (name: string) => {
    probe.style.color = `var(${name})`
    return getComputedStyle(probe).color
  }
  const axis = { stroke: colour('--dim'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } }
  const font = `11px ${style.fontFamily}`
  const options: uPlot.Options = {
    width: element.clientWidth,
    height,
    cursor: { y: false },
    legend: { live: true },
    scales: { y: isLog ? { distr: 3 } : { range: (_plot, _min, max) => [0, max > 0 ? max * 1.08 : 1] } },
    axes: [
      { ...axis, font },
      {
        ...axis,
        font,
        size: 64,
        splits: undefined,
        values: (_plot, values) => values.map((value) => (value === null ? '' : shown(value))),
      },
    ],
    series: [
      {
        label: 'when',
        value: (_plot, value) => (value === null ? '–' : clockTime(new Date(value * 1000), new Date())),
      },
      ...lines.map(({ label, dash }, index) => ({
        label,
        width: 1.5,
        stroke: colour(`--series-${(index % 6) + 1}`),
        points: { show: false },
        ...(dash && { dash }),
        value: (_plot: uPlot, value: number | null) => (value === null ? '–' : shown(value)),
      })),
    ],
  }
  probe.remove()
  return options
}
