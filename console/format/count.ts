const integerFormat = new Intl.NumberFormat('en-US')

/** `12,408` */
export const exactCount = (count: number) => integerFormat.format(count)

/** A short number: `640`, `1.2k`, `22.4k`, `3.1M`. */
export function count(amount: number): string {
  if (amount < 1_000) return String(Math.round(amount))
  for (const [size, unit] of [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const) {
    if (amount >= size * 0.9995)
      return `${(amount / size).toFixed(amount >= size * 99.95 ? 0 : 1)}${unit}`.replace('.0', '')
  }
  return String(amount)
}

/** Formats a share between 0 and 1: `0.31 %`. */
export function percent(share: number): string {
  const value = share * 100
  const digits = value === 0 || value >= 99.95 ? 0 : value < 10 ? 2 : 1
  return `${value.toFixed(digits).replace(/\.0+$/, '')} %`
}

/** `1 request`, `2 requests` */
export const countText = (amount: number, one: string, many = `${one}s`) =>
  `${exactCount(amount)} ${amount === 1 ? one : many}`
