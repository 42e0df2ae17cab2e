import { z } from './schema.ts'

type Bounds = { min: number; max: number }

/** An integer in a query, in decimal digits. Rejects other text that JavaScript converts to a number, such as the empty string. */
export const wholeNumber = ({ min, max }: Bounds) => {
  const error = `must be a whole number from ${min} to ${max}`
  return z.preprocess(
    (value) => (typeof value === 'string' && !/^-?\d+$/.test(value) ? Number.NaN : value),
    z.coerce.number({ error }).int({ error, abort: true }).min(min, error).max(max, error),
  )
}
