import type { ComponentChildren } from 'preact'
import { RelativeTime } from '../components/timestamp.tsx'
import { Usd } from '../components/usd.tsx'

/** A budget as a row: amounts are null without a limit. */
export type BudgetRow = {
  id: string
  name: string
  limit_usd: number | null
  spent_usd: number | null
  held_usd: number | null
  resets_at: string | null
}

type Props = { label: string; rows: BudgetRow[]; actions?: ((row: BudgetRow) => ComponentChildren) | undefined }

/** Budgets with what is spent, reserved and left of each. */
export function BudgetTable({ label, rows, actions }: Props) {
  return (
    <table class="plain-table" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">budget</th>
          {['limit', 'spent', 'reserved', 'left'].map((head) => (
            <th key={head} scope="col" class="number">
              {head}
            </th>
          ))}
          <th scope="col">resets</th>
          {actions && <td />}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <BudgetCells key={row.id} of={row} actions={actions} />
        ))}
      </tbody>
    </table>
  )
}

function BudgetCells({ of: row, actions }: { of: BudgetRow; actions: Props['actions'] }) {
  const left = leftOf(row)
  return (
    <tr>
      <th scope="row">
        {left !== null && left <= 0 && (
          <span class="mark bad">
            <span class="dot bad" />
            exhausted{' '}
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
      <td data-head="reserved" class="number">
        <Usd amount={row.held_usd} />
      </td>
      <td data-head="left" class="number">
        <Usd amount={left} />
      </td>
      <td data-head="resets">
        {row.resets_at ? (
          <RelativeTime time={row.resets_at} />
        ) : (
          <span class="dim">{row.limit_usd === null ? '–' : 'never'}</span>
        )}
      </td>
      {actions && <td class="number">{actions(row)}</td>}
    </tr>
  )
}

/** Amounts are rounded, so that a small rest of the sum is none. */
function leftOf({ limit_usd, spent_usd, held_usd }: BudgetRow): number | null {
  if (limit_usd === null) return null
  const left = limit_usd - (spent_usd ?? 0) - (held_usd ?? 0)
  return left < 1e-9 ? 0 : Number(left.toFixed(12))
}
