import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createFilesClient } from '#test/harness/interns/intern-files.ts'
import { answer, runningIntern, say, tryAnswer, untilIntern } from '#test/harness/interns/interns.ts'
import { until } from '#test/harness/until.ts'
import { deletePod, objectsOf, podOf, untilReplaced } from './pods.ts'
import { startService } from './service.ts'
import { sharedCluster, skip } from './shared-cluster.ts'
import { patientMs, timed } from './timed.ts'

const kinds = 'statefulset,pod,service,networkpolicy,secret,persistentvolumeclaim'
const request = { agent: 'scripted' }

describe('an intern that is a pod', { skip, concurrency: 1 }, () => {
  test('is created and answers, and its session survives its pod', async (t) => {
    const cluster = await sharedCluster()
    await using service = await startService(cluster)
    const server = await service.start('a')
    const { id } = await timed(t, 'made until it runs', () => runningIntern(server, request))
    const first = await timed(t, 'its first turn', () => say(server, id, 'say hello'))
    assert.equal(first.text, 'hello', JSON.stringify(first.error))
    const pod = await podOf(cluster, id)
    await timed(t, 'its pod deleted until it runs in another', async () => {
      await deletePod(cluster, pod)
      await untilReplaced(cluster, server, id, pod)
    })
    assert.equal((await say(server, id, 'memory', { session_id: first.sessionId })).text, '[restored]')
  })

  test('a question of a lost pod ends, and can be answered after it is repeated', async () => {
    const cluster = await sharedCluster()
    await using service = await startService(cluster)
    const server = await service.start('a')
    const { id } = await runningIntern(server, request)
    const lost = await say(server, id, 'permission shell allow_once')
    const pod = await podOf(cluster, id)
    await deletePod(cluster, pod)
    await untilReplaced(cluster, server, id, pod)
    const late = await tryAnswer(server, id, lost, 'allow_once')
    assert.deepEqual([late.status, late.error?.metadata?.reason], [409, 'interaction_not_pending'])
    const question = await say(server, id, 'permission shell allow_once\nsay done', { session_id: lost.sessionId })
    assert.match((await answer(server, id, question, 'allow_once')).text, /done/)
  })

  test('a question waits while the service is replaced, and is answered through the next', async () => {
    const cluster = await sharedCluster()
    await using service = await startService(cluster)
    const server = await service.start('a')
    const { id } = await runningIntern(server, request)
    const question = await say(server, id, 'permission shell allow_once\nsay done')
    const pod = await podOf(cluster, id)
    server.process.signal('SIGTERM')
    await server.process.ended
    const next = await service.start('b')
    await untilIntern(next, id, 'running', patientMs)
    assert.match((await answer(next, id, question, 'allow_once')).text, /done/)
    assert.equal((await podOf(cluster, id)).metadata.uid, pod.metadata.uid)
  })

  test('a suspended intern has files without a pod; a destroyed one leaves nothing', async (t) => {
    const cluster = await sharedCluster()
    await using service = await startService(cluster)
    const server = await service.start('a')
    const { id } = await runningIntern(server, request)
    const { sessionId } = await say(server, id, 'say hello')
    const written = await createFilesClient(server, id)(
      'PUT',
      'content',
      { path: 'note.txt' },
      { body: Buffer.from('kept') },
    )
    assert.ok([200, 201, 204].includes(written.status), String(written.bytes))
    await timed(t, 'suspended', async () => {
      const { status, text } = await server.ask('POST', `/interns/${id}/suspend`)
      assert.equal(status, 200, text)
    })
    assert.deepEqual(await objectsOf(cluster, 'pod', id), [])
    const note = async () => String((await createFilesClient(server, id)('GET', 'content', { path: 'note.txt' })).bytes)
    assert.equal(await timed(t, 'a file read meanwhile', note), 'kept')
    assert.equal(await timed(t, 'and once more', note), 'kept')
    await createFilesClient(server, id)(
      'PUT',
      'content',
      { path: 'note.txt' },
      { body: Buffer.from('changed meanwhile') },
    )
    assert.deepEqual(await objectsOf(cluster, 'pod', id), [])
    await timed(t, 'resumed', async () => {
      await server.ask('POST', `/interns/${id}/provision`)
      await untilIntern(server, id, 'running', patientMs)
    })
    assert.equal((await say(server, id, 'memory', { session_id: sessionId })).text, '[restored]')
    assert.equal(await note(), 'changed meanwhile')
    await timed(t, 'destroyed', async () => {
      assert.equal((await server.ask('DELETE', `/interns/${id}`)).status, 202)
      await until(async () => (await server.ask('GET', `/interns/${id}`)).status === 404, patientMs)
    })
    assert.deepEqual(await objectsOf(cluster, kinds, id), [])
  })

  test('its objects are restricted, without a token, and reachable by the service only', async () => {
    const cluster = await sharedCluster()
    await using service = await startService(cluster)
    const server = await service.start('a')
    const { id } = await runningIntern(server, request)
    const [policy] = await objectsOf(cluster, 'networkpolicy', id)
    assert.deepEqual([...policy.spec.policyTypes].sort(), ['Egress', 'Ingress'])
    assert.equal(policy.spec.podSelector.matchLabels['signalbox.dev/intern'], id)
    for (const { from, ports } of policy.spec.ingress) {
      assert.ok(from.length > 0)
      assert.deepEqual(
        ports.map(({ port }: { port: number }) => port),
        [7420],
      )
    }
    for (const { to } of policy.spec.egress) assert.ok(to.length > 0)
    const [pod] = await objectsOf(cluster, 'pod', id)
    assert.equal(pod.spec.automountServiceAccountToken, false)
    const [{ securityContext }] = pod.spec.containers
    assert.deepEqual(
      [securityContext.readOnlyRootFilesystem, securityContext.allowPrivilegeEscalation, securityContext.capabilities],
      [true, false, { drop: ['ALL'] }],
    )
  })
})
