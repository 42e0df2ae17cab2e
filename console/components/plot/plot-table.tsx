import { clockTime } from '../../format/time.ts'
import type { PlotLine } from './plot-shapes.ts'

type PlotTableProps = { title: string; times: number[]; lines: PlotLine[]; format: (value: number) => string }

/** The values of a plot as a table, newest first. */
export function PlotTable({ title, times, lines, format }: PlotTableProps) {
  const newestFirst = times.map((time, index) => ({ time, index })).reverse()
  return (
    <details>
      <summary>Table</summary>
      <section class="plot-table" aria-label={`${title}, as a table`} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">time</th>
              {lines.map(({ label }, index) => (
                <th key={index} scope="col" class="number">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {newestFirst.map(({ time, index }) => (
              <tr key={time}>
                <td>{clockTime(new Date(time * 1000), new Date())}</td>
                {lines.map(({ values }, line) => (
                  <td key={line} class="number">
                    {typeof values[index] === 'number' ? format(values[index]) : '–'}
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
