import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ScriptedFault, startScriptedApiServer } from '#test/harness/cluster/scripted-api-server.ts'
import { createTestCa } from '#test/harness/service/certificates.ts'
import { until } from '#test/harness/until.ts'
import { createKubernetesClient, type WatchEvent } from './client.ts'
import type { KubernetesObject } from './object.ts'
import { defaultRetryPolicy, KubernetesError } from './requests.ts'

const labels = { app: 'test' }
const service = (name: string, spec: object = {}): KubernetesObject => ({
  kind: 'Service',
  metadata: { name, labels },
  spec: { clusterIP: 'None', ...spec },
})

async function scripted(options: Parameters<typeof startScriptedApiServer>[0] = {}) {
  const server = await startScriptedApiServer(options)
  const quick = { ...defaultRetryPolicy, initialDelayMs: 1 }
  const client = (token = options.token ?? 'a token', caCertificates?: string, policy = quick) =>
    createKubernetesClient(
      { url: server.url, caCertificates: () => caCertificates, token: () => token },
      'interns',
      policy,
    )
  /** Fails the first `times` requests. */
  const fail = (fault: ScriptedFault, times = 1) => {
    server.fault = () => (times-- > 0 ? fault : undefined)
  }
  return { server, client, fail, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

test('apply is idempotent, and a missing object is not an error', async () => {
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

test('each kind of object has its path in the API', async () => {
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

test('remove with a uid does not remove another object of that name', async () => {
  await using at = await scripted()
  const client = at.client()
  const { metadata } = await client.apply(service('ada'))
  await client.remove('Service', 'ada', 'another uid')
  assert.ok(await client.get('Service', 'ada'))
  await client.remove('Service', 'ada', metadata.uid)
  assert.equal(await client.get('Service', 'ada'), undefined)
})

test('a retry waits as long as an overloaded API server asks for', async () => {
  await using at = await scripted()
  at.fail({ status: 429, reason: 'TooManyRequests', retryAfter: 1 })
  const startedAt = performance.now()
  await at.client().apply(service('ada'))
  assert.ok(performance.now() - startedAt > 990)
})

for (const fault of [
  { status: 409, reason: 'Conflict' },
  { status: 429, reason: 'TooManyRequests' },
  { status: 503, reason: 'ServiceUnavailable' },
  'reset',
] as const)
  test(`a request is retried after ${JSON.stringify(fault)}`, async () => {
    await using at = await scripted()
    at.fail(fault, 3)
    assert.equal((await at.client().apply(service('ada'))).metadata.name, 'ada')
  })

test('a permanent refusal is reported with its message and not retried', async () => {
  await using at = await scripted()
  at.fail({ status: 403, reason: 'Forbidden' }, 9)
  await assert.rejects(at.client().apply(service('ada')), (error: KubernetesError) => {
    assert.deepEqual([error.status, error.reason], [403, 'Forbidden'])
    assert.match(error.message, /API server refuses: scripted Forbidden\.$/)
    return true
  })
  assert.equal(at.server.requests.length, 1)
})

test('warnings are empty without permission; other failures are errors', async () => {
  await using at = await scripted()
  at.fail({ status: 403, reason: 'Forbidden' })
  assert.deepEqual(await at.client().warnings('ada'), [])
  at.fail({ status: 400, reason: 'BadRequest' })
  await assert.rejects(at.client().warnings('ada'), KubernetesError)
})

test('a refused token is reported with the setting of its file', async () => {
  await using at = await scripted({ token: 'valid' })
  await assert.rejects(at.client('expired').get('Pod', 'ada'), /refuses: Unauthorized\. .*`kubernetes_token_file`/)
})

test('an API server that is silent or unreachable does not answer', async () => {
  await using at = await scripted()
  at.fail('silence', 9)
  const short = { requestTimeoutMs: 100, maxAttempts: 2, initialDelayMs: 1 }
  const refused = (error: KubernetesError) => error.status === undefined && /does not respond/.test(error.message)
  await assert.rejects(at.client('t', undefined, short).get('Pod', 'ada'), refused)
  assert.equal(at.server.requests.length, 2)
  const unreachable = { url: 'http://127.0.0.1:1', caCertificates: () => undefined, token: () => 't' }
  await assert.rejects(createKubernetesClient(unreachable, 'interns', short).get('Pod', 'ada'), refused)
})

test('a response that is too long is reported once, without a retry', async () => {
  await using at = await scripted()
  const tooLong = 'x'.repeat(64 * 1024 * 1024)
  const { objects } = at.server
  objects.apply('Service', 'ada', { ...service('ada'), spec: { tooLong } })
  await assert.rejects(at.client().get('Service', 'ada'), /API server is too long\.$/)
  assert.equal(at.server.requests.length, 1)
})

test('only the given CA is trusted, and a rotated token is read again', async () => {
  const ca = await createTestCa()
  const issued = await ca.issue({ name: 'localhost', as: 'server' })
  const tls = { key: issued.key, cert: issued.certificate }
  await using at = await scripted({ token: 'the second', tls })
  const url = at.server.url.replace('127.0.0.1', 'localhost')
  const tokens = ['the first', 'the second']
  const trusted = { url, caCertificates: () => ca.certificate, token: () => tokens.shift() ?? 'the second' }
  const client = createKubernetesClient(trusted, 'interns')
  await assert.rejects(client.get('Pod', 'ada'), { status: 401 })
  assert.equal(await client.get('Pod', 'ada'), undefined)
  const untrusted = { url, caCertificates: () => undefined, token: () => 'the second' }
  const once = { ...defaultRetryPolicy, attempts: 1 }
  await assert.rejects(createKubernetesClient(untrusted, 'interns', once).get('Pod', 'ada'), /does not respond/)
  await client.close()
})

test('a watch returns the events after a list for its labels, and ends with the signal', async () => {
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
  const events: WatchEvent[] = []
  const watching = (async () => {
    for await (const event of client.watch('Service', 'app=test', version, leaving.signal)) events.push(event)
  })()
  await until(() => events.length === 1)
  assert.deepEqual([events[0]?.type, events[0]?.object.metadata.name], ['DELETED', 'ada'])
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
