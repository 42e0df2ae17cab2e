import { z } from '../../json/schema.ts'
import { millisecondsSetting } from '../setting-values.ts'

/** The timeouts and keepalives of completions. */
export const timeoutSettings = {
  connect_timeout_ms: millisecondsSetting(10_000).describe('The timeout for connecting to a provider.'),
  first_byte_timeout_ms: millisecondsSetting(120_000).describe(
    'The timeout for the first byte of a provider’s stream.',
  ),
  // Shorter than the ten minutes that the documented proxies and OpenAI's clients wait.
  whole_response_timeout_ms: millisecondsSetting(540_000).describe(
    'The timeout for the first byte of a response that is not streamed. Most providers send it when the response is complete.',
  ),
  silence_timeout_ms: millisecondsSetting(60_000).describe(
    'The longest time without data within a provider’s response.',
  ),
  first_content_hold_ms: millisecondsSetting(15_000).describe(
    'The maximum time for which a stream without content is held back, so that a failure can still lead to another endpoint.',
  ),
  drain_after_disconnect_ms: z.coerce
    .number()
    .int()
    .min(0)
    .max(3_600_000)
    .default(30_000)
    .describe(
      'The time for which a response is read after its client disconnected, to learn its usage. 0: cancel it at once; limits are then charged its maximum cost.',
    ),
  keepalive_ms: millisecondsSetting(15_000).describe(
    'The interval of keepalives in a stream, from before the first attempt to its end.',
  ),
}
