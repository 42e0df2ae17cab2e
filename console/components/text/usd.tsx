import { exactMoney, money } from '../../format/money.ts'

/** An amount in USD, with the exact amount on hover; a dash without an amount. */
export function Usd({ amount }: { amount: number | null | undefined }) {
  if (amount === null || amount === undefined) return <span class="dim missing">–</span>
  return <span title={exactMoney(amount)}>{money(amount)}</span>
}
