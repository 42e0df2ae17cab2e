/** A decimal number of at least 0 without rounding: `digits × 10^-scale`. */
export type ExactDecimal = { digits: bigint; scale: number }

const decimal = /^(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,3}))?$/

/** The maximum length of a number, in characters, which bounds the work that a client can cause. */
const maxLength = 100

/** Parses a decimal. Undefined for other text. */
export function parseExact(text: string): ExactDecimal | undefined {
  const parts = text.length <= maxLength ? decimal.exec(text) : null
  if (!parts || (!parts[1] && !parts[2])) return undefined
  const [, whole = '', fraction = '', exponent = '0'] = parts
  const digits = BigInt(whole + fraction)
  const scale = fraction.length - Number(exponent)
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 }
}

/** A compare function for sorting in ascending order. */
export function compareExact(a: ExactDecimal, b: ExactDecimal): number {
  const leftDigits = a.scale < b.scale ? a.digits * 10n ** BigInt(b.scale - a.scale) : a.digits
  const rightDigits = b.scale < a.scale ? b.digits * 10n ** BigInt(a.scale - b.scale) : b.digits
  if (leftDigits === rightDigits) return 0
  return leftDigits < rightDigits ? -1 : 1
}

/** Returns the price for sorting: that of three prompt tokens and one completion token. */
export function blendPrices(prompt: ExactDecimal, completion: ExactDecimal): ExactDecimal {
  const scale = Math.max(prompt.scale, completion.scale)
  const toUnits = (price: ExactDecimal) => price.digits * 10n ** BigInt(scale - price.scale)
  return { digits: 3n * toUnits(prompt) + toUnits(completion), scale }
}
