/** An amount as decimal text: digits, at most one point, never an exponent. Sums of such amounts are exact. */
export type Decimal = string

const shape = /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/

/**
 * The decimal text of an amount. A number is taken as its shortest text, so `0.07` is seven hundredths and not the
 * binary fraction beside it; digits past the twelfth are the noise of somebody's arithmetic and are rounded away.
 * @returns undefined for an amount that is not finite.
 */
export function toDecimal(amount: number | string): Decimal | undefined {
  if (typeof amount === 'string') return normal(amount.trim())
  if (!Number.isFinite(amount)) return undefined
  const text = String(amount)
  return normal(text.length > 13 ? amount.toPrecision(12) : text)
}

/** `perMillion('1.25')` is `'0.00000125'`: a price for one from a price for a million, digit for digit. */
export function perMillion(amount: Decimal): Decimal {
  return normal(`${amount}e-6`)!
}

/** Plain digits from any decimal notation: no exponent, no needless zero, `0` for nothing at all. */
function normal(text: string): Decimal | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = shape.exec(text) ?? []
  if (sign === undefined || whole + fraction === '') return undefined
  const point = whole.length + Number(exponent)
  const digits = whole + fraction
  const padded = point > 0 ? digits.padEnd(point, '0') : '0'.repeat(1 - point) + digits
  const at = Math.max(point, 1)
  const integer = padded.slice(0, at).replace(/^0+(?=\d)/, '')
  const rest = padded.slice(at).replace(/(?<!0)0+$/, '')
  const plain = rest ? `${integer}.${rest}` : integer
  return plain === '0' ? '0' : sign + plain
}
