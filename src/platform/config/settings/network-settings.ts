import { z } from '../../json/schema.ts'
import { parseNoProxy, parseProxyUrl } from '../../net/proxies.ts'

const ProxyAddress = z
  .string()
  .refine(
    (text) => parseProxyUrl(text) !== undefined,
    'must be the URL of an HTTP proxy, such as http://proxy.internal:3128',
  )
  .transform((text) => parseProxyUrl(text)!)

/** The limits for slow clients, and the proxies for outgoing requests. */
export const networkSettings = {
  request_timeout_ms: z.coerce
    .number()
    .int()
    .min(1000)
    .max(3_600_000)
    .default(60_000)
    .describe(
      'The time in which a client must send a request with its body. After it, the client gets 408. Headers must arrive within 15 s.',
    ),
  min_upload_bytes_per_second: z.coerce
    .number()
    .int()
    .min(100)
    .max(1024 ** 3)
    .default(4096)
    .describe('The lowest rate of an upload to an intern. A client that is slower for 30 s gets 408.'),
  https_proxy: ProxyAddress.optional().describe(
    'The proxy for requests to https addresses, such as `http://proxy.internal:3128`.',
  ),
  http_proxy: ProxyAddress.optional().describe('The proxy for requests to http addresses.'),
  no_proxy: z
    .preprocess((given) => (typeof given === 'string' ? [given] : given), z.array(z.string()))
    .transform((texts) => texts.flatMap(parseNoProxy))
    .default([])
    .describe('Destinations without the proxy: `.internal, 10.0.0.0/8, gpu-1:8000`; see below.'),
}
