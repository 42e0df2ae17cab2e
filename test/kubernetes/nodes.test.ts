import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { runningIntern, say, trySay, untilIntern } from '#test/harness/interns/interns.ts'
import { until } from '#test/harness/until.ts'
import { inPod, podOf } from './pods.ts'
import { startService } from './service.ts'
import { sharedCluster, skip } from './shared-cluster.ts'
import { patientMs, timed } from './timed.ts'

const request = { agent: 'scripted' }

/** Kills the daemon as the kernel does, without a notice. */
const killDaemon = `const { readdirSync, readFileSync } = require('node:fs')
const isDaemon = (pid) => readFileSync('/proc/' + pid + '/cmdline', 'utf8').startsWith('node\\0/signalbox/bin/daemon.ts')
process.kill(Number(readdirSync('/proc').filter(Number).find(isDaemon)), 'SIGKILL')`

describe('a turn that something ends', { skip, concurrency: 1 }, () => {
  test('a drain is reported, and the intern returns after it', async (t) => {
    const cluster = await sharedCluster()
    const { kubectl } = cluster.plane
    await using service = await startService(cluster, { KUBERNETES_START_MS: '15000' })
    const server = await service.start('a')
    const { id } = await runningIntern(server, request)
    const { sessionId } = await say(server, id, 'say hello')
    const long = trySay(server, id, 'stream 3600 20')
    const isWaiting = async () => {
      const { body } = await server.ask('GET', `/interns/${id}`)
      return /no node accepts its pod: .*unschedulable/.test(body.last_failure_message)
    }
    try {
      await kubectl(['drain', cluster.node.name, '--ignore-daemonsets', '--delete-emptydir-data'])
      const { last_failure_message } = await untilIntern(server, id, 'failed', patientMs)
      assert.match(last_failure_message, /evicted from the node node-1 at .*: Eviction API|no node accepts its pod/)
      assert.equal((await long).error?.metadata?.reason, 'run_ended')
      await until(isWaiting, patientMs)
    } finally {
      await kubectl(['uncordon', cluster.node.name])
    }
    await timed(t, 'from the end of the drain until it runs', () => untilIntern(server, id, 'running', patientMs))
    assert.equal((await say(server, id, 'memory', { session_id: sessionId })).text, '[restored]')
  })

  test('a killed daemon is reported, and restarts in the same pod with its sessions', async () => {
    const cluster = await sharedCluster()
    await using service = await startService(cluster)
    const server = await service.start('a')
    const { id } = await runningIntern(server, request)
    const pod = await podOf(cluster, id)
    const { sessionId } = await say(server, id, 'say hello')
    const long = trySay(server, id, 'stream 3600 20')
    await inPod(cluster, pod, 'node', '-e', killDaemon)
    assert.equal((await long).error?.metadata?.reason, 'stream_severed')
    const report = async () => (await server.ask('GET', `/interns/${id}`)).body.last_failure_message
    assert.match(await until(report, patientMs), /^Its daemon ended with code 137(, and the cluster restarted it)?\.$/)
    await untilIntern(server, id, 'running', patientMs)
    assert.equal((await say(server, id, 'memory', { session_id: sessionId })).text, '[restored]')
    assert.equal((await podOf(cluster, id)).metadata.uid, pod.metadata.uid)
  })
})
