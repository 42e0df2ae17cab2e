import type { Config } from '#platform/config/settings.ts'
import { cloudAddresses } from '#platform/net/addresses/public-address.ts'

type PolicyDeps = {
  config: Pick<Config, 'kubernetes_servers' | 'kubernetes_egress' | 'port'>
  selector: Record<string, string>
  daemonPort: number
  serviceUrl: string
}

/** The networks that `public` excludes: private ones, those of the host, and metadata services of clouds. */
const privateNetworks = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  ...cloudAddresses,
]
const privateNetworksOf6 = ['fc00::/7', 'fe80::/10', '::1/128']

/**
 * Lets servers reach the daemon, and the pod reach servers, the cluster's DNS and the networks that the operator allows.
 * Everything else, other interns included, is unreachable.
 */
export function createNetworkPolicy({ config, selector, daemonPort, serviceUrl }: PolicyDeps): Record<string, unknown> {
  const servers = config.kubernetes_servers.map(toPeer)
  const { port, protocol } = new URL(serviceUrl)
  // Policies see the port of the pods behind a Service, which is `port`; outside the cluster the port of the address.
  const servicePorts = new Set(
    [Number(port) || (protocol === 'https:' ? 443 : 80), config.port].filter((port) => port > 0),
  )
  const otherPeers = config.kubernetes_egress.flatMap((each) =>
    each === 'public'
      ? [
          { ipBlock: { cidr: '0.0.0.0/0', except: privateNetworks } },
          { ipBlock: { cidr: '::/0', except: privateNetworksOf6 } },
        ]
      : [toPeer(each)],
  )
  return {
    podSelector: { matchLabels: selector },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ from: servers, ports: [{ protocol: 'TCP', port: daemonPort }] }],
    egress: [
      { to: servers, ports: [...servicePorts].map((each) => ({ protocol: 'TCP', port: each })) },
      {
        to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } } }],
        ports: ['UDP', 'TCP'].map((each) => ({ protocol: each, port: 53 })),
      },
      ...(otherPeers.length > 0 ? [{ to: otherPeers }] : []),
    ],
  }
}

/** A label of pods in any namespace, a network, or one address. */
function toPeer(peer: string): object {
  const [name, value] = peer.split('=')
  if (value !== undefined) return { namespaceSelector: {}, podSelector: { matchLabels: { [name!]: value } } }
  return { ipBlock: { cidr: peer.includes('/') ? peer : `${peer}/${peer.includes(':') ? 128 : 32}` } }
}
