import { z } from './schema.ts'

/** A moment in a query, with its offset from UTC. */
export const Instant = z.iso.datetime({
  offset: true,
  error: 'expected an ISO 8601 instant such as 2030-01-31T00:00:00Z',
})
