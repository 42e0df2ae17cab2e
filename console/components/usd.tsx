import { exactMoney, money } from '../format/money.ts'

/** Money in USD with as many digits as needed, the exact amount on hover; a dash where there is none to tell. */
export function Usd({ amount }: { amount: number | null | undefined }) {
  if (amount === null || amount === undefined) return <span class="dim">–</span>
  return <span title={exactMoney(amount)}>{money(amount)}</span>
}
