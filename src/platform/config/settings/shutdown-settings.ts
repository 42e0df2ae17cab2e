import { z } from '../../json/schema.ts'

/** How a server stops. */
export const shutdownSettings = {
  drain_ms: z.coerce
    .number()
    .int()
    .min(0)
    .max(600_000)
    .default(0)
    .describe(
      'The time after SIGTERM in which new requests are accepted while `/health` returns 503. It should be longer than a load balancer needs to notice it.',
    ),
  shutdown_grace_ms: z.coerce
    .number()
    .int()
    .min(0)
    .max(3_600_000)
    .default(1500)
    .describe('The maximum time for requests in flight, including streams, after that.'),
}
