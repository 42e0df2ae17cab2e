/**
 * Money as an integer of pico-dollars (10⁻¹² USD). Prices per token have up to twelve decimal places, and sums of integers
 * are exact.
 */
export type PicoUsd = bigint

const decimalPlaces = 12
const maxExactInteger = 2n ** 53n
const decimalPattern = /^(-?)(\d+)(?:\.(\d+))?$/

/**
 * Parses a decimal amount of USD. Fractions of a pico-dollar are rounded up, so that rounding never undercharges.
 * @throws Error if the text is not a decimal number.
 */
export function parsePicoUsd(decimal: string): PicoUsd {
  const [, sign, whole = '0', fraction = ''] = decimalPattern.exec(decimal) ?? []
  if (sign === undefined) throw new Error(`not a decimal amount: ${decimal}`)
  const exact = BigInt(whole + fraction.slice(0, decimalPlaces).padEnd(decimalPlaces, '0'))
  const roundingUp = /[1-9]/.test(fraction.slice(decimalPlaces)) ? 1n : 0n
  return sign ? -(exact + roundingUp) : exact + roundingUp
}

/** Converts an amount in USD, such as a limit, to pico-dollars. */
export function toPicoUsd(amount: number): PicoUsd {
  // Numbers from 10²¹ on are integers, and `toFixed` writes them with an exponent.
  return Math.abs(amount) < 1e21
    ? parsePicoUsd(amount.toFixed(decimalPlaces))
    : BigInt(amount) * 10n ** BigInt(decimalPlaces)
}

/** Converts to an amount in USD for responses, correctly rounded. */
export function toUsd(pico: PicoUsd): number {
  // Up to `maxExactInteger` both operands are exact numbers, so only the division rounds.
  return -maxExactInteger < pico && pico < maxExactInteger ? Number(pico) / 1e12 : Number(toDecimalUsd(pico))
}

/** Converts to exact decimal text of USD. */
export function toDecimalUsd(pico: PicoUsd): string {
  const text = (pico < 0n ? -pico : pico).toString().padStart(decimalPlaces + 1, '0')
  const fraction = text.slice(-decimalPlaces).replace(/0+$/, '')
  return `${pico < 0n ? '-' : ''}${text.slice(0, -decimalPlaces)}${fraction && `.${fraction}`}`
}

export const minPico = (a: PicoUsd, b: PicoUsd): PicoUsd => (a < b ? a : b)
export const maxPico = (a: PicoUsd, b: PicoUsd): PicoUsd => (a > b ? a : b)

/** The maximum of a 64-bit column: about nine million USD. */
export const maxStorable: PicoUsd = 2n ** 63n - 1n

/** Limits an amount to the range of a column. */
export function clampToColumn(pico: PicoUsd): PicoUsd {
  return minPico(pico, maxStorable)
}
