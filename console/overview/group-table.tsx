import { queryOf } from '../api/address/address.ts'
import type { Filters } from '../components/filters/filters.ts'
import { Usd } from '../components/text/usd.tsx'
import { count, exactCount, percent } from '../format/count.ts'
import { duration } from '../format/time.ts'
import { type breakdownOf, logFilters, type Order, orderOf, type Row, type Values } from './queries.ts'
import { colourOfGroup, groupId, groupName, groupsWithLine } from './stacked-lines.ts'

type GroupTableProps = { rows: Row[]; by: ReturnType<typeof breakdownOf>; filters: Filters }

const orderColumns: [Order, string][] = [
  ['requests', 'requests'],
  ['tokens', 'tokens'],
  ['failed', 'failed'],
  ['slow', 'first token p50 / p95'],
  ['spent', 'spent'],
]

/** The groups in descending order of the selected column, with links to their requests. */
export function GroupTable({ rows, by, filters: { values, set } }: GroupTableProps) {
  const order = orderOf(values.order)
  const maxCost = Math.max(...rows.map((row) => Number(row.upstream_inference_cost)), 0)
  const { names } = groupsWithLine(rows, by.dimension)
  return (
    <section class="top" aria-label={`By ${by.label}`} tabIndex={0}>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">{by.label}</th>
            {orderColumns.map(([name, title]) => (
              <th key={name} scope="col" class="number" aria-sort={name === order ? 'descending' : undefined}>
                <button type="button" class="bare" onClick={() => set({ order: name === 'spent' ? undefined : name })}>
                  {title}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const id = groupId(row, by.dimension)
            return <GroupRow key={id} {...{ row, by, maxCost, values }} colour={colourOfGroup(id, names)} />
          })}
        </tbody>
      </table>
    </section>
  )
}

function GroupRow({
  row,
  by,
  values,
  maxCost,
  colour,
}: {
  row: Row
  by: GroupTableProps['by']
  values: Values
  maxCost: number
  colour: string
}) {
  const name = groupName(row, by.dimension)
  const id = row.ids?.[by.dimension] ?? row[by.dimension]
  const requests = Number(row.request_count)
  const failed = Number(row.error_count)
  const cost = Number(row.upstream_inference_cost)
  const { by: _by, order: _order, ...filterValues } = values
  const path = `/requests${queryOf({ last: '24h', ...filterValues, ...(id ? logFilters(by.filter, String(id)) : {}) })}`
  return (
    <tr>
      <th scope="row">
        {id ? <a href={path}>{name}</a> : <span class="dim">{name}</span>}
        <span class="share" aria-hidden="true">
          <i style={{ width: `${maxCost > 0 ? (cost / maxCost) * 100 : 0}%`, background: colour }} />
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
