import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answer, runningIntern, say, trySay, untilIntern } from '#test/harness/interns/interns.ts'
import { until } from '#test/harness/until.ts'
import { serviceImage } from './cluster/images.ts'
import { inPod, objectsOf, podOf, untilReplaced } from './pods.ts'
import { startService } from './service.ts'
import { sharedCluster, skip } from './shared-cluster.ts'
import { patientMs, timed } from './timed.ts'

const request = { agent: 'scripted' }
const many = 50

describe('servers whose interns are pods', { skip, concurrency: 1 }, () => {
  test('two on one Postgres serve the same intern, and one survives the other', async (t) => {
    const cluster = await sharedCluster()
    await using service = await startService(cluster)
    const one = await service.start('a')
    const other = await service.start('b')
    const { id } = await runningIntern(one, request)
    const question = await say(other, id, 'permission shell allow_once\nsay done')
    assert.match((await answer(one, id, question, 'allow_once')).text, /done/)
    const waiting = await say(one, id, 'permission shell allow_once\nsay done')
    const pod = await podOf(cluster, id)
    one.process.signal('SIGKILL')
    await one.process.ended
    assert.match((await answer(other, id, waiting, 'allow_once')).text, /done/)
    await timed(t, 'the other one looks after it', async () => {
      await cluster.plane.kubectl(['delete', 'pod', '--namespace', 'signalbox-interns', pod.metadata.name])
      await untilReplaced(cluster, other, id, pod)
      // The record has the state of the killed server until its lease ends.
      await until(async () => (await trySay(other, id, 'say hello')).text === 'hello', patientMs)
    })
  })

  test('another image is taken up by interns that are idle, with their sessions', async (t) => {
    const cluster = await sharedCluster()
    await using service = await startService(cluster)
    const before = await service.start('a')
    const { id } = await runningIntern(before, request)
    const { sessionId } = await say(before, id, 'say hello')
    const pod = await podOf(cluster, id)
    before.process.signal('SIGTERM')
    await before.process.ended
    const next = await service.start('b', { KUBERNETES_IMAGE: serviceImage(2) })
    const now = await timed(t, 'until it runs in the next image', () => untilReplaced(cluster, next, id, pod))
    assert.deepEqual(
      now.spec.containers.map(({ image }) => image),
      [serviceImage(2)],
    )
    assert.equal((await say(next, id, 'memory', { session_id: sessionId })).text, '[restored]')
  })

  test('its certificate is another after a time, in the same pod', async () => {
    const cluster = await sharedCluster()
    await using service = await startService(cluster)
    const server = await service.start('a')
    const { id } = await runningIntern(server, request)
    const pod = await podOf(cluster, id)
    const secretOf = async () => (await objectsOf(cluster, 'secret', id))[0]
    const certificate = () => inPod(cluster, pod, 'cat', '/etc/intern/certificate.pem')
    const before = await secretOf()
    const first = await certificate()
    server.process.signal('SIGTERM')
    await server.process.ended
    const next = await service.start('b')
    await untilIntern(next, id, 'running', patientMs)
    await until(async () => (await secretOf()).metadata.resourceVersion !== before.metadata.resourceVersion, patientMs)
    await until(async () => (await certificate()) !== first, patientMs)
    assert.equal((await say(next, id, 'say hello')).text, 'hello')
    assert.equal((await podOf(cluster, id)).metadata.uid, pod.metadata.uid)
  })

  test(`${many} concurrent interns are created, answer and are deleted`, async (t) => {
    const cluster = await sharedCluster()
    // The default CPU request of so many interns exceeds the two cores of a small machine.
    const settings = { KUBERNETES_CPU_REQUEST: '10m', KUBERNETES_START_MS: String(3 * patientMs) }
    await using service = await startService(cluster, settings)
    const server = await service.start('a')
    // One request for all of them: a request for each would take the processor from their pods.
    const listInterns = async (): Promise<any[]> => (await server.ask('GET', '/interns')).body.data
    const ids = await timed(t, `${many} made until all run`, async () => {
      const created = await Promise.all(
        Array.from({ length: many }, (_, at) =>
          server.ask('POST', '/interns', { body: { name: `intern-${at}`, provision: true, ...request } }),
        ),
      )
      for (const { status, text } of created) assert.equal(status, 201, text)
      await until(async () => {
        const interns = await listInterns()
        assert.deepEqual(
          interns.filter(({ status }) => status === 'failed').map((failed) => failed.last_failure_message),
          [],
        )
        return interns.every(({ status }) => status === 'running')
      }, 3 * patientMs)
      return created.map(({ body }): string => body.id)
    })
    const texts = await timed(t, 'a turn of each', () => Promise.all(ids.map((id) => say(server, id, 'say hello'))))
    assert.deepEqual(
      texts.map(({ text, error }) => error?.message ?? text),
      Array(many).fill('hello'),
    )
    await timed(t, `${many} destroyed`, async () => {
      for (const id of ids) assert.equal((await server.ask('DELETE', `/interns/${id}`)).status, 202)
      await until(async () => (await listInterns()).length === 0, 3 * patientMs)
    })
    assert.deepEqual(await objectsOf(cluster, 'statefulset,pod,secret,persistentvolumeclaim'), [])
  })
})
