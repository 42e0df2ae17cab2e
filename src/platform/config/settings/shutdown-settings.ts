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
      'How long new requests are accepted after SIGTERM while `/health` returns 503. It should be longer than a load balancer takes to notice it.',
    ),
  shutdown_grace_ms: z.coerce
    .number()
    .int()
    .min(0)
    .max(3_600_000)
    .default(1500)
    .describe('How long requests in flight, including streams, can continue after that.'),
}
