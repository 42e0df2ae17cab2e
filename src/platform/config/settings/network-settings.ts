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
      'How long a client can take to send a request with its body; after it, the client gets 408. Its headers must arrive within 15 s. Uploads to interns have `min_upload_bytes_per_second` instead.',
    ),
  min_upload_bytes_per_second: z.coerce
    .number()
    .int()
    .min(100)
    .max(1024 ** 3)
    .default(4096)
    .describe(
      'The lowest rate at which a client can upload files to an intern. A client that has been slower for 30 s gets 408. Time in which the service is the slower side does not count.',
    ),
  https_proxy: ProxyAddress.optional().describe(
    'The proxy for requests to https addresses, such as `http://proxy.internal:3128`; also read from `https_proxy`. Loopback addresses, the database, the Kubernetes API and other servers of this service are reached directly.',
  ),
  http_proxy: ProxyAddress.optional().describe(
    'The proxy for requests to http addresses; also read from `http_proxy`.',
  ),
  no_proxy: z
    .preprocess((given) => (typeof given === 'string' ? [given] : given), z.array(z.string()))
    .transform((texts) => texts.flatMap(parseNoProxy))
    .default([])
    .describe(
      'Destinations that are reached without the proxy: `.internal, 10.0.0.0/8, gpu-1:8000`. Hosts, domains with their subdomains, addresses or networks, each with an optional port; `*` for all. Also read from `no_proxy`.',
    ),
}
