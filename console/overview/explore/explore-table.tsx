import type { Filters } from '../../components/filters/filters.ts'
import { exactCount } from '../../format/count.ts'
import { exactMoney, preciseMoney } from '../../format/money.ts'
import { duration } from '../../format/time.ts'
import type { Row } from '../queries.ts'
import { groupId, groupName, noValue } from '../stacked-lines.ts'
import { groupingsOf, type Measure, measureOf, measures } from './explore-query.ts'

/** The groups in descending order of the measure. Amounts are displayed with six significant digits, and never cut. */
export function ExploreTable({ rows, filters: { values, set } }: { rows: Row[]; filters: Filters }) {
  const by = groupingsOf(values)
  const measure = measureOf(values.measure)
  return (
    <section class="top parts" aria-label="Groups" tabIndex={0}>
      <table class="plain-table explore-table">
        <thead>
          <tr>
            {by.map(({ label }) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
            {(Object.keys(measures) as Measure[]).map((name) => (
              <th key={name} scope="col" class="number" aria-sort={name === measure ? 'descending' : undefined}>
                <button
                  type="button"
                  class="bare"
                  onClick={() => set({ measure: name === 'spent' ? undefined : name })}
                >
                  {measures[name].label}
                </button>
              </th>
            ))}
            <th scope="col" class="number">
              first token p50 / p95
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const names = by.map(({ dimension }) => groupName(row, dimension))
            return (
              <tr key={by.map(({ dimension }) => groupId(row, dimension)).join('\n')}>
                {names.map((name, at) => (
                  <th key={by[at]!.dimension} scope="row" class={name === noValue ? 'dim' : undefined}>
                    {name}
                  </th>
                ))}
                {(Object.keys(measures) as Measure[]).map((name) => (
                  <Cell key={name} name={name} value={Number(row[measures[name].metric] ?? 0)} />
                ))}
                <td class="number" data-head="first token p50 / p95">
                  {latency(row.latency_p50)} <span class="dim">/ {latency(row.latency_p95)}</span>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

const latency = (value: unknown) => (typeof value === 'number' ? duration(value) : '–')

function Cell({ name, value }: { name: Measure; value: number }) {
  return name === 'spent' ? (
    <td class="number" data-head={name} title={exactMoney(value)}>
      {preciseMoney(value)}
    </td>
  ) : (
    <td class="number" data-head={name}>
      {exactCount(value)}
    </td>
  )
}
