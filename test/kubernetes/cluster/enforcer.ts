import { execFileSync } from 'node:child_process'
import type { Cluster } from './cluster.ts'

type Peer = { ipBlock?: { cidr: string; except?: string[] }; namespaceSelector?: Selector; podSelector?: Selector }
type Selector = { matchLabels?: Record<string, string> }
type Rule = { from?: Peer[]; to?: Peer[]; ports?: { protocol?: string; port?: number }[] }
type Policy = { spec: { podSelector: Selector; policyTypes: string[]; ingress?: Rule[]; egress?: Rule[] } }
type Labelled = { metadata: { name: string; namespace: string; labels?: Record<string, string>; uid: string } }
type RunningPod = Labelled & { status: { podIP?: string } }

/**
 * Enforces the current NetworkPolicies of all pods of interns, because the network plug-in of this cluster does not. It uses
 * packet filters in the network namespace of each pod, which the pod cannot change.
 */
export async function enforcePolicies(cluster: Cluster, namespace: string): Promise<void> {
  const get = async <T>(...what: string[]): Promise<T[]> =>
    JSON.parse(await cluster.plane.kubectl(['get', ...what, '--output', 'json'])).items
  const [policies, pods, namespaces] = await Promise.all([
    get<Policy>('networkpolicies', '--namespace', namespace),
    get<RunningPod>('pods', '--all-namespaces'),
    get<Labelled>('namespaces'),
  ])
  const world = { pods, namespaces, namespace }
  for (const pod of pods.filter(({ metadata }) => metadata.namespace === namespace)) {
    const own = policies.filter(({ spec }) => selects(spec.podSelector, pod))
    const chain = (direction: Direction) => {
      const { name, loopback } = chains[direction]
      const concerning = own.filter(({ spec }) => spec.policyTypes.includes(direction))
      if (concerning.length === 0) return []
      const rules = concerning.flatMap(({ spec }) => (direction === 'Ingress' ? spec.ingress : spec.egress) ?? [])
      const lines = rules.flatMap((rule) => linesOf(rule, direction, world))
      return [`${loopback} -j ACCEPT`, replies, ...lines, '-j DROP'].map((line) => `-A ${name} ${line}`)
    }
    const table = ['*filter', ...chain('Ingress'), ...chain('Egress'), 'COMMIT', ''].join('\n')
    const pid = processOf(pod)
    execFileSync('nsenter', ['-t', pid, '-n', 'iptables-restore'], { input: table })
    // The policies have only IPv4 addresses, so all IPv6 traffic is dropped.
    const none = ['*filter', ':INPUT DROP', ':FORWARD DROP', ':OUTPUT DROP', 'COMMIT', ''].join('\n')
    if (own.length > 0) execFileSync('nsenter', ['-t', pid, '-n', 'ip6tables-restore'], { input: none })
  }
}

type Direction = 'Ingress' | 'Egress'
const chains = {
  Ingress: { name: 'INPUT', loopback: '-i lo', side: '-s' },
  Egress: { name: 'OUTPUT', loopback: '-o lo', side: '-d' },
} as const
const replies = '-m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT'
type World = { pods: RunningPod[]; namespaces: Labelled[]; namespace: string }

/** The packet filter rules for a policy rule: each peer at each port. A missing list allows all. */
function linesOf({ from, to, ports }: Rule, direction: Direction, world: World): string[] {
  const peers = direction === 'Ingress' ? from : to
  const { side } = chains[direction]
  const peerNetworks = peers?.length
    ? peers.flatMap((peer) => networksOf(peer, world))
    : [{ network: '0.0.0.0/0', except: [] }]
  const portMatches = ports?.length
    ? ports.map(({ protocol = 'TCP', port }) => `-p ${protocol.toLowerCase()}${port ? ` --dport ${port}` : ''}`)
    : ['']
  return peerNetworks.flatMap(({ network, except }) =>
    portMatches.flatMap((door) => [
      // Exceptions of a network are dropped. No other rule of these policies allows them.
      ...except.map((each) => `${side} ${each} ${door} -j DROP`),
      `${side} ${network} ${door} -j ACCEPT`,
    ]),
  )
}

function networksOf({ ipBlock, namespaceSelector, podSelector }: Peer, { pods, namespaces, namespace }: World) {
  if (ipBlock) {
    const of4 = (network: string) => !network.includes(':')
    return of4(ipBlock.cidr) ? [{ network: ipBlock.cidr, except: (ipBlock.except ?? []).filter(of4) }] : []
  }
  const where = namespaceSelector
    ? namespaces.filter((each) => selects(namespaceSelector, each)).map(({ metadata }) => metadata.name)
    : [namespace]
  return pods
    .filter((pod) => where.includes(pod.metadata.namespace) && (!podSelector || selects(podSelector, pod)))
    .flatMap(({ status }) => (status.podIP ? [{ network: status.podIP, except: [] }] : []))
}

const selects = ({ matchLabels = {} }: Selector, { metadata }: Labelled) =>
  Object.entries(matchLabels).every(([name, value]) => metadata.labels?.[name] === value)

/** A process of the pod, by the control group that the kubelet gave it. */
function processOf({ metadata }: RunningPod): string {
  const found = execFileSync('sh', ['-c', 'grep -l "pod$0" /proc/[0-9]*/cgroup 2>/dev/null | head -n 1', metadata.uid])
  const [, pid] = /^\/proc\/(\d+)\//.exec(String(found)) ?? []
  if (!pid) throw new Error(`Nothing runs in the pod ${metadata.name}.`)
  return pid
}
