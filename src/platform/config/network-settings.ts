import { z } from '../json/schema.ts'
import { noProxyEntries, proxyUrl } from '../net/proxies.ts'

const ProxyAddress = z
  .string()
  .refine(
    (text) => proxyUrl(text) !== undefined,
    'must be the URL of an HTTP proxy, such as http://proxy.internal:3128',
  )
  .transform((text) => proxyUrl(text)!)

/** The proxies for outgoing requests. */
export const networkSettings = {
  https_proxy: ProxyAddress.optional().describe(
    'The proxy for requests to https addresses, such as `http://proxy.internal:3128`; also read from `https_proxy`. Loopback addresses, the database, the Kubernetes API and other servers of this service are reached directly.',
  ),
  http_proxy: ProxyAddress.optional().describe(
    'The proxy for requests to http addresses; also read from `http_proxy`.',
  ),
  no_proxy: z
    .preprocess((given) => (typeof given === 'string' ? noProxyEntries(given) : given), z.array(z.string()))
    .default([])
    .describe(
      'Destinations that are reached without the proxy: `.internal, 10.0.0.0/8, gpu-1:8000`. Hosts, domains with their subdomains, addresses or networks, each with an optional port; `*` for all. Also read from `no_proxy`.',
    ),
}
