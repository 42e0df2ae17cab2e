const dollarFormat = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** Formats USD with two decimals from a dollar on, else three significant digits: `$0.00041`, `$12.30`. */
export function money(usd: number): string {
  const amount = Math.abs(usd)
  const sign = usd < 0 ? '−' : ''
  if (amount === 0) return '$0'
  if (amount >= 1) return `${sign}$${dollarFormat.format(amount)}`
  const digits = Math.min(12, 2 - Math.floor(Math.log10(amount)))
  const text = amount.toFixed(digits).replace(/0+$/, '')
  return text.endsWith('.') ? `${sign}$${text}00` : `${sign}$${text.replace(/^(\d+\.\d)$/, '$10')}`
}

/** Formats USD with six significant digits, at least two decimals, and all digits before the point: `$0.0123457`. */
export function preciseMoney(usd: number): string {
  const amount = Math.abs(usd)
  if (amount === 0) return '$0'
  const maximumFractionDigits = Math.min(12, Math.max(2, 5 - Math.floor(Math.log10(amount))))
  const text = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits }).format(amount)
  return `${usd < 0 ? '−' : ''}$${text}`
}

/** Formats USD with all digits. */
export function exactMoney(usd: number): string {
  const digits = usd === 0 ? 2 : usd.toFixed(12).replace(/0+$/, '').split('.')[1]!.length
  return `${usd < 0 ? '−' : ''}$${Math.abs(usd).toFixed(Math.max(2, digits))}`
}

/** A token price per million tokens: `2.00 / M`. */
export function perMillion(usdPerToken: number): string {
  const price = usdPerToken * 1e6
  return `${price >= 0.1 || price === 0 ? price.toFixed(2) : Number(price.toPrecision(2))} / M`
}
