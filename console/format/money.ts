const separated = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** As many digits as tell two prices apart: two from a dollar on, else three that are not zero. `$0.00041`, `$12.30`. */
export function money(usd: number): string {
  const amount = Math.abs(usd)
  const sign = usd < 0 ? '−' : ''
  if (amount === 0) return '$0'
  if (amount >= 1) return `${sign}$${separated.format(amount)}`
  const digits = Math.min(12, 2 - Math.floor(Math.log10(amount)))
  const text = amount.toFixed(digits).replace(/0+$/, '')
  return text.endsWith('.') ? `${sign}$${text}00` : `${sign}$${text.replace(/^(\d+\.\d)$/, '$10')}`
}

/** Every digit there is. */
export function exactMoney(usd: number): string {
  const digits = usd === 0 ? 2 : usd.toFixed(12).replace(/0+$/, '').split('.')[1]!.length
  return `${usd < 0 ? '−' : ''}$${Math.abs(usd).toFixed(Math.max(2, digits))}`
}

/** A price of one token, told of a million: `2.00 / M`. */
export function perMillion(usdPerToken: number): string {
  const price = usdPerToken * 1e6
  return `${price >= 0.1 || price === 0 ? price.toFixed(2) : Number(price.toPrecision(2))} / M`
}
