import assert from 'node:assert/strict'
import { availableParallelism, loadavg } from 'node:os'
import { afterEach, describe, test } from 'node:test'
import { minuteMs } from '#platform/core/clock.ts'
import { runningIntern, say, trySay, untilIntern } from '#test/harness/interns/interns.ts'
import { until } from '#test/harness/until.ts'
import { storageClasses } from './cluster/volumes.ts'
import { inPod, podOf, untilReplaced } from './pods.ts'
import { startService } from './service.ts'
import { sharedCluster, skip } from './shared-cluster.ts'
import { patientMs, timed } from './timed.ts'

const request = { agent: 'scripted' }

describe('pods when something around them fails', { skip, concurrency: 1 }, () => {
  afterEach(async () => {
    const { plane, node } = await sharedCluster()
    plane.apiServer.start()
    await plane.ready()
    await node.regain()
  })

  test('the API server is unreachable for a minute: turns continue, the rest recovers', async (t) => {
    const cluster = await sharedCluster()
    await using service = await startService(cluster)
    const server = await service.start('a')
    const { id } = await runningIntern(server, request)
    const long = trySay(server, id, 'stream 3600 20')
    await cluster.plane.apiServer.kill()
    const killedAt = Date.now()
    const { body: created } = await server.ask('POST', '/interns', {
      body: { name: 'late', provision: true, ...request },
    })
    const failureMessage = await until(async () => {
      const { body } = await server.ask('GET', `/interns/${created.id}`)
      return body.last_failure_message
    }, minuteMs)
    assert.match(failureMessage, /API server/)
    let turns = 0
    for (; Date.now() < killedAt + minuteMs; turns++) assert.equal((await say(server, id, 'say here')).text, 'here')
    t.diagnostic(`${turns} turns meanwhile`)
    cluster.plane.apiServer.start()
    await cluster.plane.ready()
    await timed(t, 'back until the new intern runs, asked for again', async () => {
      await server.ask('POST', `/interns/${created.id}/provision`)
      await untilIntern(server, created.id, 'running', patientMs)
    })
    assert.equal((await server.ask('GET', `/interns/${id}`)).body.status, 'running')
    assert.match((await long).text, /word3599 $/)
  })

  test('node lost: the intern reports it within ten seconds, and returns with the node', async (t) => {
    const cluster = await sharedCluster()
    await using service = await startService(cluster, { INTERN_UNRESPONSIVE_MS: '8000' })
    const server = await service.start('a')
    const { id } = await runningIntern(server, request)
    const { sessionId } = await say(server, id, 'say hello')
    await cluster.node.lose()
    const lostAt = performance.now()
    const reported = await timed(t, 'time until the loss is reported', () =>
      until(async () => {
        const { body } = await server.ask('GET', `/interns/${id}`)
        return body.status !== 'running' && body
      }, patientMs),
    )
    t.diagnostic(`${reported.status}: ${reported.last_failure_message}`)
    if (loadavg()[0]! < availableParallelism()) assert.ok(performance.now() - lostAt < 10_000)
    assert.match(
      reported.last_failure_message,
      /has not responded for 8 s, on the node node-1|node-1 has not reported since/,
    )
    const refused = await trySay(server, id, 'say hello')
    t.diagnostic(`a turn then: ${refused.status} ${refused.error?.metadata?.reason} ${refused.error?.message}`)
    assert.notEqual(refused.status, 200)
    await cluster.node.regain()
    await timed(t, 'regained until it runs', () => untilIntern(server, id, 'running', patientMs))
    assert.equal((await say(server, id, 'memory', { session_id: sessionId })).text, '[restored]')
  })

  test('a blocked destroy reports the reason by its deadline, and succeeds on retry', async (t) => {
    const cluster = await sharedCluster()
    await using service = await startService(cluster, { KUBERNETES_STOP_MS: '10000' })
    const server = await service.start('a')
    const { id } = await runningIntern(server, request)
    const claim = ['--namespace', 'signalbox-interns', `persistentvolumeclaim/intern-${id}`]
    const holdBy = (finalizers: string[] | null) =>
      cluster.plane.kubectl(['patch', ...claim, '--type', 'merge', '-p', JSON.stringify({ metadata: { finalizers } })])
    await holdBy(['example.com/held'])
    await server.ask('DELETE', `/interns/${id}`)
    const failed = await timed(t, 'asked until it says what is stuck', () =>
      untilIntern(server, id, 'destroy_failed', patientMs),
    )
    t.diagnostic(failed.last_failure_message)
    assert.match(failed.last_failure_message, /intern-.*example\.com\/held/s)
    await holdBy(null)
    await server.ask('DELETE', `/interns/${id}`)
    await until(async () => (await server.ask('GET', `/interns/${id}`)).status === 404, patientMs)
  })

  test('its disk is full: the turn fails with the reason, and it recovers', async (t) => {
    const cluster = await sharedCluster()
    await using service = await startService(cluster, { KUBERNETES_STORAGE_CLASS: storageClasses.little })
    const server = await service.start('a')
    const { id } = await runningIntern(server, request)
    const pod = await podOf(cluster, id)
    const ballast = '/home/intern/state/ballast'
    await inPod(cluster, pod, 'sh', '-c', `dd if=/dev/zero of=${ballast} bs=64k; dd if=/dev/zero of=${ballast}2; true`)
    const refused = await until(async () => {
      const turn = await trySay(server, id, 'say hi')
      return turn.status !== 200 && turn
    }, patientMs)
    t.diagnostic(`${refused.status} ${refused.error?.message}`)
    assert.deepEqual([refused.status, refused.error?.metadata?.reason], [502, 'turn_failed'])
    assert.match(refused.error?.message ?? '', /could not save its (state|transcript)/)
    await inPod(cluster, pod, 'rm', ballast, `${ballast}2`)
    assert.equal((await say(server, id, 'say room again')).text, 'room again')
  })

  test('temporary files too large: the intern is evicted, reports it, and returns', async (t) => {
    const cluster = await sharedCluster()
    await using service = await startService(cluster)
    const server = await service.start('a')
    const { id } = await runningIntern(server, request)
    const { sessionId } = await say(server, id, 'say hello')
    const pod = await podOf(cluster, id)
    await inPod(cluster, pod, 'dd', 'if=/dev/zero', 'of=/tmp/ballast', 'bs=1M', 'count=1100')
    const message: string = await timed(t, 'time until the size is reported', () =>
      until(async () => (await server.ask('GET', `/interns/${id}`)).body.last_failure_message, patientMs),
    )
    t.diagnostic(message)
    assert.match(
      message,
      /^Its pod was evicted from the node node-1 at \d{4}-\d\d-\d\dT[\d:.]+Z: its temporary files \(\/tmp\) took more than 1Gi\.$/,
    )
    await timed(t, 'from the report until it runs in another pod', () => untilReplaced(cluster, server, id, pod))
    assert.equal((await say(server, id, 'memory', { session_id: sessionId })).text, '[restored]')
  })
})
