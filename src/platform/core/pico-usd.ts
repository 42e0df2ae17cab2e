/**
 * Money as a whole number of pico-dollars (10⁻¹² USD): a token's price has up to twelve digits behind the point, and
 * whole numbers add up exactly.
 */
export type PicoUsd = bigint

const digits = 12
const exactly = 2n ** 53n
const shape = /^(-?)(\d+)(?:\.(\d+))?$/

/**
 * Parts smaller than a pico-dollar are rounded up, so that rounding never undercharges.
 * @throws Error on other text.
 */
export function picoUsd(decimal: string): PicoUsd {
  const [, sign, whole = '0', fraction = ''] = shape.exec(decimal) ?? []
  if (sign === undefined) throw new Error(`not a decimal amount: ${decimal}`)
  const exact = BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'))
  const finer = /[1-9]/.test(fraction.slice(digits)) ? 1n : 0n
  return sign ? -(exact + finer) : exact + finer
}

/** Of a JSON number of USD, such as a limit, however large. */
export function picoUsdOf(amount: number): PicoUsd {
  // From 10²¹ on, numbers are whole and print with an exponent.
  return Math.abs(amount) < 1e21 ? picoUsd(amount.toFixed(digits)) : BigInt(amount) * 10n ** BigInt(digits)
}

/** As a JSON number of USD, for answers: at most the double's own rounding away. */
export function toUsd(pico: PicoUsd): number {
  // Both are exact up to there, so that the quotient is rounded once, as reading the text would round it.
  return -exactly < pico && pico < exactly ? Number(pico) / 1e12 : Number(decimalUsd(pico))
}

/** As exact decimal text of USD. */
export function decimalUsd(pico: PicoUsd): string {
  const text = (pico < 0n ? -pico : pico).toString().padStart(digits + 1, '0')
  const fraction = text.slice(-digits).replace(/0+$/, '')
  return `${pico < 0n ? '-' : ''}${text.slice(0, -digits)}${fraction && `.${fraction}`}`
}

/** Nine million USD: no column holds more. */
export const mostKept: PicoUsd = 2n ** 63n - 1n

/** As much of it as a column holds. */
export function keepable(pico: PicoUsd): PicoUsd {
  return pico < mostKept ? pico : mostKept
}
