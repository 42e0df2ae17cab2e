import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, test } from 'node:test'
import { runningIntern, say } from '#test/harness/interns/interns.ts'
import { namespace } from './cluster/cluster.ts'
import { enforcePolicies } from './cluster/enforcer.ts'
import { inPod, podOf } from './pods.ts'
import { startService } from './service.ts'
import { sharedCluster, skip } from './shared-cluster.ts'

/** Prints whether a connection succeeds. A filtered one only times out. */
const connect = `const [host, port] = process.argv.slice(1)
const socket = require('node:net').connect({ host, port, timeout: 10_000 })
const say = (what) => { console.log(what); process.exit() }
socket.on('connect', () => say('reached')).on('timeout', () => say('nothing')).on('error', ({ code }) => say(code))`

describe('the NetworkPolicies of interns, applied by packet filters', { skip, concurrency: 1 }, () => {
  test('an intern reaches its model, and its pod reaches nothing else', async (t) => {
    const cluster = await sharedCluster()
    const { gateway } = cluster.node
    await using service = await startService(cluster, { KUBERNETES_SERVERS: gateway })
    const server = await service.start('a')
    const ada = await runningIntern(server, { name: 'ada', model: 'signalbox/demo' })
    const bea = await runningIntern(server, { name: 'bea', agent: 'scripted' })
    const from = await podOf(cluster, ada.id)
    const stranger = createServer((socket) => socket.destroy()).listen(0, gateway)
    try {
      await once(stranger, 'listening')
      const places = {
        server: [gateway, new URL(server.url).port],
        'another intern': [(await podOf(cluster, bea.id)).status.podIP, '7420'],
        'what else listens here': [gateway, String((stranger.address() as AddressInfo).port)],
      }
      const reached = async () => {
        const responses = Object.entries(places).map(
          async ([name, place]) =>
            [name, (await inPod(cluster, from, 'node', '-e', connect, ...place)).trim()] as const,
        )
        return Object.fromEntries(await Promise.all(responses))
      }
      const yes = 'reached'
      assert.deepEqual(await reached(), { server: yes, 'another intern': yes, 'what else listens here': yes })
      await enforcePolicies(cluster, namespace)
      const now = await reached()
      t.diagnostic(JSON.stringify(now))
      assert.deepEqual(now, { server: yes, 'another intern': 'nothing', 'what else listens here': 'nothing' })
      assert.match((await say(server, ada.id, 'Hello')).text, /You said: Hello/)
      assert.equal((await say(server, bea.id, 'say hello')).text, 'hello')
    } finally {
      stranger.close()
    }
  })
})
