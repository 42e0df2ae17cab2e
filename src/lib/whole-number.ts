import { z } from '#lib/schema.ts'

type Bounds = { min: number; max: number }

/** A whole number as a query writes it, in digits: what JavaScript also takes for one, such as nothing at all, is refused. */
export const wholeNumber = ({ min, max }: Bounds) =>
  z.preprocess(
    (value) => (typeof value === 'string' && !/^-?\d+$/.test(value) ? Number.NaN : value),
    z.coerce.number({ error: 'must be a whole number' }).int().min(min).max(max),
  )
