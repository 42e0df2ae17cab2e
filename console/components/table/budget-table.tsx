import type { ComponentChildren } from 'preact'
import { RelativeTime } from '../text/timestamp.tsx'
import { Usd } from '../text/usd.tsx'

/** A budget as a row: amounts are null without a limit. */
export type BudgetRow = {
  id: string
  name: string
  limit_usd: number | null
  spent_usd: number | null
  unconfirmed_usd: number | null
  held_usd: number | null
  resets_at: string | null
}

type Props = {
  label: string
  /** The head of the first column. */
  firstColumn?: string
  rows: BudgetRow[]
  actions?: ((row: BudgetRow) => ComponentChildren) | undefined
}

const unconfirmedHelp =
  'Charged to the limit, but not confirmed by the provider. You can release it on the page of the request.'

/** Budgets with their spent, reserved and remaining amounts. */
export function BudgetTable({ label, firstColumn = 'budget', rows, actions }: Props) {
  return (
    <table class="plain-table" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{firstColumn}</th>
          {['limit', 'spent', 'unconfirmed', 'reserved', 'remaining'].map((column) => (
            <th key={column} scope="col" class="number" title={column === 'unconfirmed' ? unconfirmedHelp : undefined}>
              {column}
            </th>
          ))}
          <th scope="col">resets</th>
          {actions && <td />}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <BudgetTableRow key={row.id} row={row} actions={actions} />
        ))}
      </tbody>
    </table>
  )
}

function BudgetTableRow({ row, actions }: { row: BudgetRow; actions: Props['actions'] }) {
  const remaining = remainingOf(row)
  return (
    <tr>
      <th scope="row">
        {remaining !== null && remaining <= 0 && (
          <span class="mark bad">
            <span class="dot bad" />
            used up{' '}
          </span>
        )}
        {row.name}
      </th>
      <td data-head="limit" class="number">
        {row.limit_usd === null ? <span class="dim">none</span> : <Usd amount={row.limit_usd} />}
      </td>
      <td data-head="spent" class="number">
        <Usd amount={row.spent_usd} />
      </td>
      <td data-head="unconfirmed" class="number">
        <Usd amount={row.unconfirmed_usd} />
      </td>
      <td data-head="reserved" class="number">
        <Usd amount={row.held_usd} />
      </td>
      <td data-head="remaining" class="number">
        <Usd amount={remaining} />
      </td>
      <td data-head="resets">
        {row.resets_at ? (
          <RelativeTime time={row.resets_at} />
        ) : (
          <span class={row.limit_usd === null ? 'dim missing' : 'dim'}>{row.limit_usd === null ? '–' : 'never'}</span>
        )}
      </td>
      {actions && <td class="number">{actions(row)}</td>}
    </tr>
  )
}

/** The remaining amount, at least 0; null without a limit. It is rounded, because sums of floats differ by tiny amounts. */
function remainingOf({ limit_usd, spent_usd, unconfirmed_usd, held_usd }: BudgetRow): number | null {
  if (limit_usd === null) return null
  const remaining = limit_usd - (spent_usd ?? 0) - (unconfirmed_usd ?? 0) - (held_usd ?? 0)
  return remaining < 1e-9 ? 0 : Number(remaining.toFixed(12))
}
