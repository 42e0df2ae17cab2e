import { z } from './schema.ts'

/** An ISO 8601 date and time with an offset from UTC. */
export const Instant = z.iso.datetime({
  offset: true,
  error: 'expected an ISO 8601 instant such as 2030-01-31T00:00:00Z',
})
