import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startInPods } from '#test/harness/cluster/interns-in-pods.ts'
import { startScriptedCluster } from '#test/harness/cluster/scripted-cluster.ts'
import { createFilesClient } from '#test/harness/interns/intern-files.ts'
import { runningIntern, say, untilIntern } from '#test/harness/interns/interns.ts'
import { until } from '#test/harness/until.ts'

const patience = 60_000

const skip = process.platform !== 'linux' && 'it takes many loopback addresses'

describe('the files of an intern that does not run', { skip }, () => {
  let at: Awaited<ReturnType<typeof startInPods>>
  before(async () => {
    at = await startInPods()
  })
  after(() => at[Symbol.asyncDispose]())
  const suspended = async (name: string) => {
    const { id } = await runningIntern(at.service, { name, agent: 'scripted' })
    const { sessionId } = await say(at.service, id, 'say hi')
    await createFilesClient(at.service, id)('PUT', 'content', { path: 'note.txt' }, { body: Buffer.from('kept') })
    assert.equal((await at.service.ask('POST', `/interns/${id}/suspend`)).status, 200)
    return { id, sessionId }
  }
  const note = async (id: string) =>
    String((await createFilesClient(at.service, id)('GET', 'content', { path: 'note.txt' })).bytes)
  const filesPod = (id: string) => at.cluster.objects.find('Pod', `intern-${id}-files`)

  test('are read and written in a pod that runs no agent, and the intern has them later', async () => {
    const { id, sessionId } = await suspended('ada')
    assert.deepEqual(await Promise.all([note(id), note(id)]), ['kept', 'kept'])
    const [container] = (filesPod(id)!.spec as any).containers
    assert.deepEqual(container.command.slice(0, 2), ['node', '/signalbox/bin/files-in-pod.ts'])
    assert.equal(at.cluster.objects.find('Pod', `intern-${id}-0`), undefined)
    await createFilesClient(at.service, id)('PUT', 'content', { path: 'note.txt' }, { body: Buffer.from('changed') })
    const sessions = await at.service.ask('GET', `/interns/${id}/sessions`)
    assert.deepEqual(
      sessions.body.data.map((session: { id: string }) => session.id),
      [sessionId],
    )
    assert.equal((await at.service.ask('GET', `/interns/${id}`)).body.status, 'stopped')
    await at.service.ask('POST', `/interns/${id}/provision`)
    await untilIntern(at.service, id, 'running', patience)
    assert.equal(filesPod(id), undefined)
    assert.equal(await note(id), 'changed')
  })

  test('are served by another pod after the first ended, and by none after deletion', async () => {
    const { id } = await suspended('bea')
    assert.equal(await note(id), 'kept')
    const first = filesPod(id)!
    at.cluster.objects.put({ ...first, status: { phase: 'Succeeded' } })
    assert.equal(await note(id), 'kept')
    assert.notEqual(filesPod(id)!.metadata.uid, first.metadata.uid)
    await at.service.ask('DELETE', `/interns/${id}`)
    await until(async () => (await at.service.ask('GET', `/interns/${id}`)).status === 404, patience)
    assert.equal(filesPod(id), undefined)
  })

  test('of an intern that was never started report that there are none', async () => {
    const { body } = await at.service.ask('POST', '/interns', { body: { name: 'dora', agent: 'scripted' } })
    const refused = await at.service.ask('GET', `/interns/${body.id}/files`)
    assert.deepEqual([refused.status, /never been started/.test(refused.text)], [502, true])
  })
})

test('files that cannot be reached are reported with the reason of the cluster', {
  skip,
}, async () => {
  await using cluster = await startScriptedCluster()
  await using at = await startInPods({}, { cluster })
  const { id } = await runningIntern(at.service, { name: 'ada', agent: 'scripted' })
  await at.service.ask('POST', `/interns/${id}/suspend`)
  await at.service.stop()
  const conditions = [{ type: 'PodScheduled', status: 'False', message: '0/1 nodes are available' }]
  cluster.setPodStart({ phase: 'Pending', conditions })
  await using next = await startInPods({ kubernetes_start_ms: 1000 }, { cluster, testStore: at.service.testStore })
  const refused = await next.service.ask('GET', `/interns/${id}/files`)
  assert.equal(refused.status, 502)
  assert.match(refused.text, /within 1 s: no node accepts its pod: 0\/1 nodes are available/)
  assert.deepEqual(cluster.objects.list('Pod', ''), [])
})

test('a pod that is deleted meanwhile is not created again', { skip }, async () => {
  await using at = await startInPods()
  const { id } = await runningIntern(at.service, { name: 'ada', agent: 'scripted' })
  await at.service.ask('POST', `/interns/${id}/suspend`)
  at.cluster.setPodStart({ phase: 'Pending' })
  const name = `intern-${id}-files`
  const pending = at.service.ask('GET', `/interns/${id}/files`)
  await until(() => at.cluster.objects.find('Pod', name), patience)
  at.cluster.objects.remove('Pod', name)
  const refused = await pending
  assert.deepEqual([refused.status, /its pod was ended/.test(refused.text)], [502, true])
  assert.equal(at.cluster.objects.find('Pod', name), undefined)
})
