import { InvalidArgumentError } from 'commander'

/** Parses an option as a whole number. Without the check, JSON would turn NaN into null. */
export function wholeNumber(minimum: number): (text: string) => number {
  return (text) => {
    const count = Number(text)
    if (/^\d+$/.test(text.trim()) && Number.isSafeInteger(count) && count >= minimum) return count
    throw new InvalidArgumentError(`It must be a whole number of at least ${minimum}.`)
  }
}
