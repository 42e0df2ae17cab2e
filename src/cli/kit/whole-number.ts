import { InvalidArgumentError } from 'commander'

/** An option that is a whole number: JSON would make null of what is none. */
export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const count = Number(text)
    if (/^\d+$/.test(text.trim()) && Number.isSafeInteger(count) && count >= least) return count
    throw new InvalidArgumentError(`It must be a whole number, at least ${least}.`)
  }
}
