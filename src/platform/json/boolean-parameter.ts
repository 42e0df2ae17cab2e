import { z } from './schema.ts'

/** `true` or `false` in a query. */
export const booleanParameter = (description: string) =>
  z
    .enum(['true', 'false'])
    .describe(description)
    .transform((word) => word === 'true')
