const integerFormat = new Intl.NumberFormat('en-US')

/** `12,408` */
export const exactCount = (count: number) => integerFormat.format(count)

const units = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const

/** A short number: `640`, `1.2k`, `22.4k`, `3.1M`. */
export function count(amount: number): string {
  // The limits are where rounding adds a digit: 999,500 is `1M`, not `1000k`, and 99,950 is `100k`, not `100.0k`.
  const [size, unit] = units.find(([one]) => amount >= one * 0.9995) ?? []
  if (!size) return String(Math.round(amount))
  return `${(amount / size).toFixed(amount >= size * 99.95 ? 0 : 1)}${unit}`.replace('.0', '')
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
