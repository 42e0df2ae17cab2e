import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { untilIntern } from '#test/harness/interns/interns.ts'
import { type Cluster, namespace } from './cluster/cluster.ts'
import { type PodServer, startService } from './service.ts'
import { sharedCluster, skip } from './shared-cluster.ts'
import { patientMs } from './timed.ts'

const request = { agent: 'scripted' }
const soon = { KUBERNETES_START_MS: '15000' }

/** Why an intern that is made now does not come up. */
async function madeToFail(t: TestContext, server: PodServer): Promise<string> {
  const { body } = await server.ask('POST', '/interns', { body: { name: 'ada', provision: true, ...request } })
  const { last_failure_message } = await untilIntern(server, body.id, 'failed', patientMs)
  t.diagnostic(last_failure_message)
  return last_failure_message
}

/** While this is done, no new pod is let in. */
async function withoutPods({ plane: { kubectl } }: Cluster, work: () => Promise<void>): Promise<void> {
  const quota = ['quota', 'none', '--namespace', namespace]
  await kubectl(['create', ...quota, '--hard=pods=0'])
  try {
    await work()
  } finally {
    await kubectl(['delete', ...quota])
  }
}

describe('refusals of a cluster are reported with its message', { skip, concurrency: 1 }, () => {
  test('an image that is nowhere', async (t) => {
    await using service = await startService(await sharedCluster(), soon)
    const server = await service.start('a', { KUBERNETES_IMAGE: 'registry.invalid/none:1' })
    assert.match(await madeToFail(t, server), /its image cannot be pulled: (ErrImagePull|ImagePullBackOff): .*none:1/)
  })

  test('no node with room', async (t) => {
    await using service = await startService(await sharedCluster(), soon)
    const server = await service.start('a', { KUBERNETES_CPU_REQUEST: '1000', KUBERNETES_CPU_LIMIT: '1000' })
    assert.match(await madeToFail(t, server), /no node accepts its pod: .*Insufficient cpu/)
  })

  test('a quota, and it starts when there is room again', async (t) => {
    const cluster = await sharedCluster()
    await using service = await startService(cluster, soon)
    const server = await service.start('a')
    await withoutPods(cluster, async () => {
      assert.match(await madeToFail(t, server), /it has no pod; the cluster says: .*exceeded quota: none/)
    })
    await server.ask('POST', '/interns/ada/provision')
    await untilIntern(server, 'ada', 'running', patientMs)
  })

  test('inputs that must be admitted, and inputs that must not', async (t) => {
    await using service = await startService(await sharedCluster(), soon)
    const server = await service.start('a', { KUBERNETES_RUNTIME_CLASS: 'none' })
    assert.match(await madeToFail(t, server), /it has no pod; the cluster says: .*RuntimeClass "none" not found/)
  })
})
