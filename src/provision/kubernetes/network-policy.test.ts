import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Settings } from '#platform/config/settings.ts'
import { isConnectionAllowed, type Party } from '#test/harness/cluster/network-policies.ts'
import { createObjects } from './objects.ts'

const home = 'signalbox-interns'
const namespaces = Object.fromEntries(
  [home, 'signalbox', 'kube-system', 'default'].map((name) => [name, { 'kubernetes.io/metadata.name': name }]),
)
const pod = (address: string, namespace: string, labels: Record<string, string>): Party => ({
  address,
  pod: { namespace, labels },
})
const at = (address: string): Party => ({ address })

/** The objects of two interns as this service applies them, and other pods of a cluster. */
function cluster(settings: object = {}) {
  const config = Settings.parse({ port: 8080, ...settings })
  const serviceUrl = 'http://signalbox.signalbox.svc:80'
  const made = (id: string) =>
    createObjects({ config, image: 'signalbox:1', serviceUrl }, id, { lasting: {}, rotated: {}, repository: undefined })
  const policies = ['ada', 'bea'].map((id) => ({
    namespace: home,
    spec: made(id).others.find(({ kind }) => kind === 'NetworkPolicy')!.spec as any,
  }))
  const set = (id: string) => made(id).others.find(({ kind }) => kind === 'StatefulSet')!.spec as any
  const reaches = (from: Party, to: Party, port: number, protocol?: string) =>
    isConnectionAllowed({ policies, namespaces }, from, to, port, protocol)
  return {
    reaches,
    ada: pod('10.244.0.2', home, set('ada').template.metadata.labels),
    bea: pod('10.244.0.3', home, set('bea').template.metadata.labels),
    server: pod('10.244.0.4', 'signalbox', { 'app.kubernetes.io/name': 'signalbox' }),
    names: pod('10.244.0.5', 'kube-system', { 'k8s-app': 'kube-dns' }),
    stranger: pod('10.244.0.6', 'default', { app: 'shop' }),
  }
}

const metadata = at('169.254.169.254')
const apiServer = at('10.96.0.1')
const web = at('93.184.216.34')

test('only servers can reach an intern, and only at its daemon', () => {
  const { reaches, ada, bea, server, stranger } = cluster({ kubernetes_egress: '10.0.0.0/8, public' })
  assert.equal(reaches(server, ada, 7420), true)
  assert.equal(reaches(server, ada, 22), false)
  // Bea's policy allows it, because the operator lets interns reach that network. Ada's policy forbids it.
  for (const other of [bea, stranger, at('10.0.0.9'), web])
    assert.equal(reaches(other, ada, 7420), false, other.address)
})

test('an intern reaches only the service and DNS', () => {
  const { reaches, ada, bea, server, names, stranger } = cluster()
  for (const [to, port, protocol] of [
    ...[80, 8080].map((each) => [server, each, 'TCP'] as const),
    ...['TCP', 'UDP'].map((each) => [names, 53, each] as const),
  ])
    assert.equal(reaches(ada, to, port, protocol), true, `${to.address}:${port}/${protocol}`)
  for (const [to, port] of [
    ...[bea, stranger, metadata, apiServer, web, at('2001:4860::1')].flatMap((to) =>
      [53, 80, 443, 7420, 8080].map((each) => [to, each] as const),
    ),
    ...[22, 5432, 7420].map((each) => [server, each] as const),
    ...[80, 9153].map((each) => [names, each] as const),
  ])
    assert.equal(reaches(ada, to, port), false, `${to.address}:${port}`)
})

test('with "public" an intern reaches public addresses and still no internal ones', () => {
  const { reaches, ada, bea, server, stranger } = cluster({ kubernetes_egress: 'public' })
  for (const to of [web, at('2001:4860::1')]) assert.equal(reaches(ada, to, 443), true, to.address)
  for (const address of [
    '10.0.0.9',
    '172.20.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '127.0.0.1',
    'fd00::1',
    'fe80::1',
    '::1',
  ])
    assert.equal(reaches(ada, at(address), 443), false, address)
  for (const to of [bea, stranger, metadata, apiServer]) assert.equal(reaches(ada, to, 443), false, to.address)
  assert.equal(reaches(ada, server, 22), false)
})

test('with servers outside the cluster, only their networks reach the intern', () => {
  const { reaches, ada, server } = cluster({ kubernetes_servers: '192.0.2.0/28' })
  assert.deepEqual(
    [reaches(at('192.0.2.3'), ada, 7420), reaches(at('192.0.2.16'), ada, 7420), reaches(server, ada, 7420)],
    [true, false, false],
  )
  assert.deepEqual([reaches(ada, at('192.0.2.3'), 8080), reaches(ada, at('192.0.2.3'), 22)], [true, false])
})
