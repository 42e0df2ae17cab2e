import { isIPv6 } from 'node:net'
import { toBlockList } from '#platform/net/addresses/networks.ts'

type Labels = Record<string, string>
type Selector = { matchLabels?: Labels }
type PolicyPeer = {
  namespaceSelector?: Selector
  podSelector?: Selector
  ipBlock?: { cidr: string; except?: string[] }
}
type Port = { protocol?: string; port?: number }
type Rule = { ports?: Port[]; from?: PolicyPeer[]; to?: PolicyPeer[] }
type PolicySpec = { podSelector: Selector; policyTypes: string[]; ingress?: Rule[]; egress?: Rule[] }

/** A pod, or an address that belongs to no pod. */
export type Party = { address: string; pod?: { namespace: string; labels: Labels } }

/** The policies of a cluster, with the labels of its namespaces. */
type Policies = { policies: { namespace: string; spec: PolicySpec }[]; namespaces: Record<string, Labels> }

/**
 * Returns whether a cluster that enforces NetworkPolicies allows this connection, by
 * https://kubernetes.io/docs/concepts/services-networking/network-policies/. Both sides have to allow it, a pod that no
 * policy selects allows everything, and policies only add permissions.
 */
export function isConnectionAllowed(
  cluster: Policies,
  from: Party,
  to: Party,
  port: number,
  protocol = 'TCP',
): boolean {
  return (
    isAllowedBySide(cluster, 'Egress', from, to, port, protocol) &&
    isAllowedBySide(cluster, 'Ingress', to, from, port, protocol)
  )
}

type Direction = 'Ingress' | 'Egress'

function isAllowedBySide(
  cluster: Policies,
  direction: Direction,
  party: Party,
  other: Party,
  port: number,
  protocol: string,
): boolean {
  const selecting = cluster.policies.filter(
    ({ namespace, spec }) =>
      party.pod?.namespace === namespace &&
      selects(spec.podSelector, party.pod.labels) &&
      spec.policyTypes.includes(direction),
  )
  if (selecting.length === 0) return true
  return selecting.some(({ namespace, spec }) =>
    (direction === 'Ingress' ? spec.ingress : spec.egress)?.some((rule) => {
      const peers = direction === 'Ingress' ? rule.from : rule.to
      return matchesPorts(rule.ports, port, protocol) && matchesPeers(cluster, peers, namespace, other)
    }),
  )
}

/** An absent or empty list matches everything; the list of an existing rule matches its entries. */
const matchesPorts = (ports: Port[] | undefined, port: number, protocol: string) =>
  !ports?.length || ports.some((entry) => (entry.protocol ?? 'TCP') === protocol && (entry.port ?? port) === port)

function matchesPeers(
  { namespaces }: Policies,
  peers: PolicyPeer[] | undefined,
  policyNamespace: string,
  other: Party,
): boolean {
  if (!peers?.length) return true
  return peers.some(({ ipBlock, namespaceSelector, podSelector }) => {
    if (ipBlock)
      return containsAddress([ipBlock.cidr], other.address) && !containsAddress(ipBlock.except ?? [], other.address)
    if (!other.pod) return false
    const { namespace, labels } = other.pod
    const isNamespaceMatch = namespaceSelector
      ? selects(namespaceSelector, namespaces[namespace] ?? {})
      : namespace === policyNamespace
    return isNamespaceMatch && (!podSelector || selects(podSelector, labels))
  })
}

function containsAddress(networks: string[], address: string): boolean {
  // A BlockList of Node also treats an IPv4 address as an IPv6 one.
  const sameFamily = networks.filter((entry) => entry.includes(':') === isIPv6(address))
  return toBlockList(sameFamily).check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

function selects(selector: Selector, labels: Labels): boolean {
  const { matchLabels = {}, ...unsupported } = selector
  if (Object.keys(unsupported).length > 0) throw new Error(`Unsupported selector: ${Object.keys(unsupported)}`)
  return Object.entries(matchLabels).every(([name, value]) => labels[name] === value)
}
