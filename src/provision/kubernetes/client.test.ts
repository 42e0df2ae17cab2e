import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ScriptedFault, startScriptedApiServer } from '#test/harness/cluster/scripted-api-server.ts'
import { testAuthority } from '#test/harness/service/certificates.ts'
import { until } from '#test/harness/until.ts'
import { kubernetesClient, type WatchEvent } from './client.ts'
import type { KubernetesObject } from './object.ts'
import { KubernetesError, usualPatience } from './requests.ts'

const labels = { app: 'test' }
const service = (name: string, spec: object = {}): KubernetesObject => ({
  kind: 'Service',
  metadata: { name, labels },
  spec: { clusterIP: 'None', ...spec },
})

async function scripted(options: Parameters<typeof startScriptedApiServer>[0] = {}) {
  const server = await startScriptedApiServer(options)
  const quick = { ...usualPatience, pauseMs: 1 }
  const client = (token = options.token ?? 'a token', authorities?: string, patience = quick) =>
    kubernetesClient({ url: server.url, authorities: () => authorities, token: () => token }, 'interns', patience)
  /** Fails the first `times` requests. */
  const fail = (fault: ScriptedFault, times = 1) => {
    server.fault = () => (times-- > 0 ? fault : undefined)
  }
  return { server, client, fail, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

test('what is applied twice is there once, as it was applied last, and what is not there is no error', async () => {
  await using at = await scripted()
  const client = at.client()
  const first = await client.apply(service('ada'))
  assert.equal((await client.apply(service('ada'))).metadata.resourceVersion, first.metadata.resourceVersion)
  await client.apply(service('ada', { type: 'ClusterIP' }))
  assert.deepEqual((await client.get('Service', 'ada'))?.spec, { clusterIP: 'None', type: 'ClusterIP' })
  await client.remove('Service', 'ada')
  await client.remove('Service', 'ada')
  assert.equal(await client.get('Service', 'ada'), undefined)
})

test('objects of every kind are asked for where the API server has them', async () => {
  await using at = await scripted()
  const all = ['Secret', 'PersistentVolumeClaim', 'Service', 'Pod', 'NetworkPolicy', 'StatefulSet'] as const
  for (const kind of all) await at.client().get(kind, 'ada')
  assert.deepEqual(at.server.requests, [
    'GET /api/v1/namespaces/interns/secrets/ada',
    'GET /api/v1/namespaces/interns/persistentvolumeclaims/ada',
    'GET /api/v1/namespaces/interns/services/ada',
    'GET /api/v1/namespaces/interns/pods/ada',
    'GET /apis/networking.k8s.io/v1/namespaces/interns/networkpolicies/ada',
    'GET /apis/apps/v1/namespaces/interns/statefulsets/ada',
  ])
})

test('one that has taken the name of another is not removed in its place', async () => {
  await using at = await scripted()
  const client = at.client()
  const { metadata } = await client.apply(service('ada'))
  await client.remove('Service', 'ada', 'another uid')
  assert.ok(await client.get('Service', 'ada'))
  await client.remove('Service', 'ada', metadata.uid)
  assert.equal(await client.get('Service', 'ada'), undefined)
})

for (const fault of [
  { status: 409, reason: 'Conflict' },
  { status: 429, reason: 'TooManyRequests' },
  { status: 503, reason: 'ServiceUnavailable' },
  'reset',
] as const)
  test(`an API server that answers ${JSON.stringify(fault)} for a moment is asked again`, async () => {
    await using at = await scripted()
    at.fail(fault, 3)
    assert.equal((await at.client().apply(service('ada'))).metadata.name, 'ada')
  })

test('what it will not take however often it is asked is told in its words, and asked once', async () => {
  await using at = await scripted()
  at.fail({ status: 403, reason: 'Forbidden' }, 9)
  await assert.rejects(at.client().apply(service('ada')), (error: KubernetesError) => {
    assert.deepEqual([error.status, error.reason], [403, 'Forbidden'])
    assert.match(error.message, /API server refuses: scripted Forbidden/)
    return true
  })
  assert.equal(at.server.requests.length, 1)
})

test('one that says nothing, or is not there, is given up after its time, and told as one that cannot be asked', async () => {
  await using at = await scripted()
  at.fail('silence', 9)
  const short = { requestMs: 100, tries: 2, pauseMs: 1 }
  const refused = (error: KubernetesError) => error.status === undefined && /cannot be asked/.test(error.message)
  await assert.rejects(at.client('t', undefined, short).get('Pod', 'ada'), refused)
  assert.equal(at.server.requests.length, 2)
  const nowhere = { url: 'http://127.0.0.1:1', authorities: () => undefined, token: () => 't' }
  await assert.rejects(kubernetesClient(nowhere, 'interns', short).get('Pod', 'ada'), refused)
})

test('it is believed by its authority alone, and a token that is rotated is read again', async () => {
  const authority = await testAuthority()
  const issued = await authority.issue({ name: 'localhost', as: 'server' })
  const tls = { key: issued.key, cert: issued.certificate }
  await using at = await scripted({ token: 'the second', tls })
  const url = at.server.url.replace('127.0.0.1', 'localhost')
  const tokens = ['the first', 'the second']
  const trusted = { url, authorities: () => authority.certificate, token: () => tokens.shift() ?? 'the second' }
  const client = kubernetesClient(trusted, 'interns')
  await assert.rejects(client.get('Pod', 'ada'), { status: 401 })
  assert.equal(await client.get('Pod', 'ada'), undefined)
  const strangers = { url, authorities: () => undefined, token: () => 'the second' }
  const once = { ...usualPatience, tries: 1 }
  await assert.rejects(kubernetesClient(strangers, 'interns', once).get('Pod', 'ada'), /cannot be asked/)
  await client.close()
})

test('a watch tells what happens behind a list, of what has the labels, and ends with the signal', async () => {
  await using at = await scripted()
  const client = at.client()
  await client.apply(service('ada'))
  const { items, version } = await client.list('Service', 'app=test')
  assert.deepEqual(
    items.map(({ kind, metadata }) => [kind, metadata.name]),
    [['Service', 'ada']],
  )
  await client.apply({ ...service('eve'), metadata: { name: 'eve', labels: { app: 'other' } } })
  await client.remove('Service', 'ada')
  const leaving = new AbortController()
  const heard: WatchEvent[] = []
  const watching = (async () => {
    for await (const event of client.watch('Service', 'app=test', version, leaving.signal)) heard.push(event)
  })()
  await until(() => heard.length === 1)
  assert.deepEqual([heard[0]?.type, heard[0]?.object.metadata.name], ['DELETED', 'ada'])
  leaving.abort()
  await assert.rejects(watching, { name: 'AbortError' })
})

test('a watch from a version that is too old is refused with 410', async () => {
  await using at = await scripted()
  const client = at.client()
  const { version } = await client.list('Service', '')
  at.server.objects.compact()
  const watch = client.watch('Service', '', version, AbortSignal.timeout(60_000))
  await assert.rejects(watch.next(), (error) => error instanceof KubernetesError && error.status === 410)
})
