/** A token price per million tokens, with the exact price on hover. */
export function PerMillion({ usd }: { usd: string | undefined }) {
  if (usd === undefined) return <span class="dim">–</span>
  const price = Number(usd) * 1e6
  if (price === 0) return <span>free</span>
  return <span title={`$${usd} per token`}>{formatPrice(price)}</span>
}

/** Formats a price: `$3.00`, `$0.075`. */
export function formatPrice(usd: number): string {
  const cents = usd.toFixed(2)
  return `$${Math.abs(Number(cents) - usd) < 1e-9 ? cents : Number(usd.toPrecision(3))}`
}
