/** USD amounts are whole pico-dollars (10⁻¹² USD). */
const maxDecimals = 12

/** Formats USD. Amounts below one dollar have three significant digits, others two decimals: `$0.00041`, `$12.30`. */
export const money = (usd: number) => formatUsd(usd, 3)

/** Formats USD with six significant digits, at least two decimals, and all digits before the point: `$0.0123457`. */
export const preciseMoney = (usd: number) => formatUsd(usd, 6)

/** Formats by their maximum number of decimals. They are cached, because creating one takes longer than using it. */
const formats: Intl.NumberFormat[] = []

function formatUsd(usd: number, significantDigits: number): string {
  const amount = Math.abs(usd)
  if (amount === 0) return '$0'
  const decimals = Math.min(maxDecimals, Math.max(2, significantDigits - 1 - Math.floor(Math.log10(amount))))
  formats[decimals] ??= new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: decimals })
  return `${usd < 0 ? '−' : ''}$${formats[decimals].format(amount)}`
}

/** Formats USD with all digits. */
export function exactMoney(usd: number): string {
  const digits = usd.toFixed(maxDecimals).replace(/0+$/, '').split('.')[1]!.length
  return `${usd < 0 ? '−' : ''}$${Math.abs(usd).toFixed(Math.max(2, digits))}`
}

/** A token price in USD per million tokens: `$2.00 / M`. */
export function perMillion(usdPerToken: number): string {
  const price = usdPerToken * 1e6
  return `$${price >= 0.1 || price === 0 ? price.toFixed(2) : Number(price.toPrecision(2))} / M`
}
