import { InvalidArgumentError } from 'commander'

/** Parses an option as a whole number. Without the check, JSON would turn NaN into null. */
export function wholeNumber(minimum: number): (text: string) => number {
  return (text) => {
    const count = Number(text)
    if (/^\d+$/.test(text.trim()) && Number.isSafeInteger(count) && count >= minimum) return count
    throw new InvalidArgumentError(`It must be a whole number of at least ${minimum}.`)
  }
}

/** Parses a positive amount. An invalid one is an error, because a missing limit would allow any spend. */
function positiveAmount(text: string, kind: string): number {
  const amount = Number(text)
  if (/^[\d.]+(e[+-]?\d+)?$/i.test(text.trim()) && amount > 0 && Number.isFinite(amount)) return amount
  throw new InvalidArgumentError(`It must be ${kind}.`)
}
export const positiveNumber = (text: string) => positiveAmount(text, 'a positive number')
export const positiveUsd = (text: string) => positiveAmount(text, 'a positive number of US dollars')

/** Collects the values of an option that can be repeated. */
export const collect = (value: string, previous: string[] = []): string[] => [...previous, value]
