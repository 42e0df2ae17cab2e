import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedApiServer } from '#test/harness/cluster/scripted-api-server.ts'
import { until } from '#test/harness/until.ts'
import { kubernetesClient } from './client.ts'
import { followObjects } from './follow.ts'

/** Follows pods; `heard` is what it was told, in short. */
async function following() {
  const server = await startScriptedApiServer()
  const client = kubernetesClient({ url: server.url, authorities: () => undefined, token: () => 't' }, 'interns')
  const leaving = new AbortController()
  const heard: string[] = []
  const errors: string[] = []
  const followed = {
    ...{ client, kind: 'Pod' as const, labels: 'app=test' },
    changed: ({ metadata, status }: any) => heard.push(`${metadata.name} ${status.phase}`),
    removed: ({ metadata }: any) => heard.push(`${metadata.name} removed`),
    listed: () => {},
    onError: (error: Error) => errors.push(error.message),
  }
  const pod = (name: string, phase: string) =>
    server.objects.put({
      ...server.objects.find('Pod', name),
      ...{ kind: 'Pod', metadata: { ...server.objects.find('Pod', name)?.metadata, name, labels: { app: 'test' } } },
      status: { phase },
    })
  pod('ada', 'Pending')
  const ended = followObjects(followed, leaving.signal)
  await until(() => heard.length === 1)
  const watches = () => server.requests.filter((request) => request.startsWith('WATCH')).length
  return {
    ...{ server, heard, errors, pod, watches },
    async [Symbol.asyncDispose]() {
      leaving.abort()
      await ended
      await client.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

test('what is there is told, and then what changes', async () => {
  await using at = await following()
  await until(() => at.watches() === 1)
  at.pod('ada', 'Running')
  at.server.objects.remove('Pod', 'ada')
  await until(() => at.heard.length === 3)
  assert.deepEqual(at.heard, ['ada Pending', 'ada Running', 'ada removed'])
})

for (const how of ['after their time', 'broken off'] as const)
  test(`where watches end ${how} it goes on, and what happened meanwhile is told once`, async () => {
    await using at = await following()
    await until(() => at.watches() === 1)
    at.server.endWatches(how)
    at.pod('ada', 'Running')
    at.pod('eve', 'Pending')
    await until(() => at.heard.length === 3)
    assert.deepEqual(at.heard.toSorted(), ['ada Pending', 'ada Running', 'eve Pending'])
    assert.equal(at.errors.length, how === 'broken off' ? 1 : 0)
  })

test('after a version that is too old the list is read again, what was removed meanwhile is told, and nobody is alarmed', async () => {
  await using at = await following()
  await until(() => at.watches() === 1)
  at.server.endWatches('after their time')
  // Before it asks again: what happened cannot be told to it any more.
  at.server.objects.remove('Pod', 'ada')
  at.pod('eve', 'Running')
  at.server.objects.compact()
  await until(() => at.heard.length >= 3)
  assert.deepEqual(at.errors, [])
  assert.ok(at.heard.includes('ada removed') && at.heard.includes('eve Running'))
})

test('while the API server is away what was known stays, and it goes on when it is back', async () => {
  await using at = await following()
  await until(() => at.watches() === 1)
  at.server.fault = () => 'reset'
  at.server.endWatches('broken off')
  await until(() => at.errors.length > 0)
  assert.deepEqual(at.heard, ['ada Pending'])
  at.server.fault = () => undefined
  at.pod('ada', 'Running')
  await until(() => at.heard.length === 2)
  assert.equal(at.heard[1], 'ada Running')
})

test('a list that comes when nobody follows any more is not told', async () => {
  const leaving = new AbortController()
  const told: string[] = []
  const tell = (what: string) => () => void told.push(what)
  const list = async () => {
    leaving.abort()
    return { items: [{ metadata: { name: 'ada' } }], version: '1' }
  }
  const hearing = { changed: tell('changed'), removed: tell('removed'), listed: tell('listed'), onError: tell('error') }
  const client = { list, watch: () => assert.fail('watched') }
  await followObjects({ ...hearing, client, kind: 'Pod', labels: '' } as never, leaving.signal)
  assert.deepEqual(told, [])
})
