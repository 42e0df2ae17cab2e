import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedApiServer } from '#test/harness/cluster/scripted-api-server.ts'
import { until } from '#test/harness/until.ts'
import { createKubernetesClient } from './client.ts'
import { followObjects } from './follow-objects.ts'

/** Follows pods; `events` lists the calls in a short form. */
async function following() {
  const server = await startScriptedApiServer()
  const client = createKubernetesClient(
    { url: server.url, caCertificates: () => undefined, token: () => 't' },
    'interns',
  )
  const events: string[] = []
  const errors: string[] = []
  const followed = {
    client,
    kind: 'Pod' as const,
    labels: 'app=test',
    onChanged: ({ metadata, status }: any) => events.push(`${metadata.name} ${status.phase}`),
    onRemoved: ({ metadata }: any) => events.push(`${metadata.name} removed`),
    onListed: () => {},
    onError: (error: Error) => errors.push(error.message),
  }
  const pod = (name: string, phase: string) =>
    server.objects.put({
      ...server.objects.find('Pod', name),
      kind: 'Pod',
      metadata: { ...server.objects.find('Pod', name)?.metadata, name, labels: { app: 'test' } },
      status: { phase },
    })
  pod('ada', 'Pending')
  const stop = followObjects(followed)
  await until(() => events.length === 1)
  const watches = () => server.requests.filter((request) => request.startsWith('WATCH')).length
  return {
    server,
    events,
    errors,
    pod,
    watches,
    async [Symbol.asyncDispose]() {
      await stop()
      await client.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

test('existing objects are reported, then changes', async () => {
  await using at = await following()
  await until(() => at.watches() === 1)
  at.pod('ada', 'Running')
  at.server.objects.remove('Pod', 'ada')
  await until(() => at.events.length === 3)
  assert.deepEqual(at.events, ['ada Pending', 'ada Running', 'ada removed'])
})

for (const how of ['after their time', 'broken off'] as const)
  test(`after watches that end ${how} changes are reported once`, async () => {
    await using at = await following()
    await until(() => at.watches() === 1)
    at.server.endWatches(how)
    at.pod('ada', 'Running')
    at.pod('eve', 'Pending')
    await until(() => at.events.length === 3)
    assert.deepEqual(at.events.toSorted(), ['ada Pending', 'ada Running', 'eve Pending'])
    assert.equal(at.errors.length, how === 'broken off' ? 1 : 0)
  })

test('after a version that is too old the list is read again, without an error', async () => {
  await using at = await following()
  await until(() => at.watches() === 1)
  at.server.endWatches('after their time')
  // Before the next watch, so that the events are lost.
  at.server.objects.remove('Pod', 'ada')
  at.pod('eve', 'Running')
  at.server.objects.compact()
  await until(() => at.events.length >= 3)
  assert.deepEqual(at.errors, [])
  assert.ok(at.events.includes('ada removed') && at.events.includes('eve Running'))
})

test('an outage of the API server keeps the last state', async () => {
  await using at = await following()
  await until(() => at.watches() === 1)
  at.server.fault = () => 'reset'
  at.server.endWatches('broken off')
  await until(() => at.errors.length > 0)
  assert.deepEqual(at.events, ['ada Pending'])
  at.server.fault = () => undefined
  at.pod('ada', 'Running')
  await until(() => at.events.length === 2)
  assert.equal(at.events[1], 'ada Running')
})

test('a list after the end is not reported', async () => {
  const listed = Promise.withResolvers<void>()
  const calls: string[] = []
  const record = (name: string) => () => void calls.push(name)
  const list = async () => {
    void stop()
    listed.resolve()
    return { items: [{ metadata: { name: 'ada' } }], version: '1' }
  }
  const listeners = {
    onChanged: record('changed'),
    onRemoved: record('removed'),
    onListed: record('listed'),
    onError: record('error'),
  }
  const client = { list, watch: () => assert.fail('watched') }
  const stop = followObjects({ ...listeners, client, kind: 'Pod', labels: '' } as never)
  await listed.promise
  await stop()
  assert.deepEqual(calls, [])
})
