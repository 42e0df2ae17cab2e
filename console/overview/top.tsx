import { queryOf } from '../api/address.ts'
import { count, exactCount, percent } from '../format/count.ts'
import { duration } from '../format/time.ts'
import { Usd } from '../pieces/amount.tsx'
import type { breakdownOf, Row, Values } from './queries.ts'
import { nameOf, shownOf } from './stack.ts'

type TopProps = { rows: Row[]; by: ReturnType<typeof breakdownOf>; values: Values }

/** Who had how much, most expensive first. Each leads to its requests. */
export function Top({ rows, by, values }: TopProps) {
  const most = Math.max(...rows.map((row) => Number(row.upstream_inference_cost)), 0)
  const { names } = shownOf(rows, by.dimension)
  return (
    <section class="top" aria-label={`By ${by.label}`} tabIndex={0}>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">{by.label}</th>
            <th scope="col" class="number">
              requests
            </th>
            <th scope="col" class="number">
              tokens
            </th>
            <th scope="col" class="number">
              failed
            </th>
            <th scope="col" class="number">
              p50 / p95
            </th>
            <th scope="col" class="number">
              spent
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <TopRow
              key={nameOf(row, by.dimension)}
              row={row}
              by={by}
              most={most}
              values={values}
              colour={index < names.length ? index + 1 : 6}
            />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function TopRow({
  row,
  by,
  values,
  most,
  colour,
}: Omit<TopProps, 'rows'> & { row: Row; most: number; colour: number }) {
  const name = nameOf(row, by.dimension)
  const id = row.ids?.[by.dimension] ?? row[by.dimension]
  const requests = Number(row.request_count)
  const failed = Number(row.error_count)
  const cost = Number(row.upstream_inference_cost)
  const { by: _by, ...rest } = values
  const path = `/requests${queryOf({ last: '24h', ...rest, [by.filter]: id })}`
  return (
    <tr>
      <th scope="row">
        {id ? <a href={path}>{name}</a> : <span class="dim">{name}</span>}
        <span class="share" aria-hidden="true">
          <i style={{ width: `${most > 0 ? (cost / most) * 100 : 0}%`, background: `var(--series-${colour})` }} />
        </span>
      </th>
      <td class="number">{exactCount(requests)}</td>
      <td class="number">{count(Number(row.tokens_total))}</td>
      <td class={failed > 0 ? 'number' : 'number dim'}>{failed > 0 ? percent(failed / requests) : '–'}</td>
      <td class="number">
        {typeof row.latency_p50 === 'number' ? duration(row.latency_p50) : '–'}
        <span class="dim"> / {typeof row.latency_p95 === 'number' ? duration(row.latency_p95) : '–'}</span>
      </td>
      <td class="number">
        <Usd amount={cost} />
      </td>
    </tr>
  )
}
