/** An amount as decimal text: digits and at most one point, without an exponent. */
type Decimal = string

const decimalPattern = /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/

/**
 * Converts an amount to decimal text. A number is converted by its shortest text, so `0.07` is exactly seven hundredths.
 * Rounds numbers to twelve significant digits, because further digits are errors of floating-point arithmetic.
 * @returns undefined for an amount that is not finite.
 */
export function toDecimal(amount: number | string): Decimal | undefined {
  if (typeof amount === 'string') return normalizeDecimal(amount.trim())
  if (!Number.isFinite(amount)) return undefined
  const text = String(amount)
  // A text of at most 13 characters has at most 12 digits and a point, or is a whole number, which has no such errors.
  return normalizeDecimal(text.length > 13 ? amount.toPrecision(12) : text)
}

/** Converts a price per million units to a price per unit, exactly: `unitPrice('1.25')` is `'0.00000125'`. */
export function unitPrice(amount: Decimal): Decimal {
  return normalizeDecimal(`${amount}e-6`)!
}

/** Normalizes a decimal number: no exponent, no superfluous zeros. */
function normalizeDecimal(text: string): Decimal | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = decimalPattern.exec(text) ?? []
  if (sign === undefined || whole + fraction === '') return undefined
  const point = whole.length + Number(exponent)
  const digits = whole + fraction
  const padded = point > 0 ? digits.padEnd(point, '0') : '0'.repeat(1 - point) + digits
  const pointIndex = Math.max(point, 1)
  const integer = padded.slice(0, pointIndex).replace(/^0+(?=\d)/, '')
  // Without `(?<!0)`, each zero of a long run would be tried as the start of the final zeros.
  const decimals = padded.slice(pointIndex).replace(/(?<!0)0+$/, '')
  const unsigned = decimals ? `${integer}.${decimals}` : integer
  return unsigned === '0' ? '0' : sign + unsigned
}
