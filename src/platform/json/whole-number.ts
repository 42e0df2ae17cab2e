import { z } from './schema.ts'

type Bounds = { min: number; max: number }

/** A whole number as a query writes it, in digits: what JavaScript also takes for one, such as nothing at all, is refused. */
export const wholeNumber = ({ min, max }: Bounds) => {
  const error = `must be a whole number from ${min} to ${max}`
  return z.preprocess(
    (value) => (typeof value === 'string' && !/^-?\d+$/.test(value) ? Number.NaN : value),
    z.coerce.number({ error }).int({ error, abort: true }).min(min, error).max(max, error),
  )
}
