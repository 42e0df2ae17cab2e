import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startGitServer } from '#test/harness/interns/git-server.ts'
import { runningIntern, say, untilIntern } from '#test/harness/interns/interns.ts'
import { until } from '#test/harness/until.ts'
import { deletePod, inPod, objectsOf, podOf, untilReplaced } from './pods.ts'
import { startService } from './service.ts'
import { sharedCluster, skip } from './shared-cluster.ts'
import { patientMs, timed } from './timed.ts'

const password = 'glpat-Kx7Qd2vTn9'
const request = { agent: 'scripted' }

/** Everything that the intern can read: files, settings, environments and arguments of processes, and mounts. */
const look = `exec 2>/dev/null
find /home/intern /etc/intern /tmp -type f -not -path '*/compiled/*' -exec cat {} +
ls -A /etc/intern-repository /proc/*/root/etc/intern-repository
cat /proc/*/environ /proc/*/cmdline
true`

describe('a repository of an intern that is a pod', { skip, concurrency: 1 }, () => {
  test('is cloned once with its credential, which the pod of the intern does not have', async (t) => {
    const cluster = await sharedCluster()
    const { gateway } = cluster.node
    await using git = await startGitServer({ 'README.md': 'Widgets.' }, { user: 'ada', password }, gateway)
    await using service = await startService(cluster, { REPOSITORY_ORIGINS: git.origin, KUBERNETES_EGRESS: gateway })
    const server = await service.start('a')
    const repository = { url: git.url, credential: { username: 'ada', password } }
    const { id } = await timed(t, 'made, with a clone', () => runningIntern(server, { ...request, repository }))
    const pod = await podOf(cluster, id)
    assert.equal(await inPod(cluster, pod, 'cat', '/home/intern/workspace/widgets/README.md'), 'Widgets.')
    const seen = await inPod(cluster, pod, 'sh', '-c', look)
    for (const there of ['Widgets.', '/etc/intern ', 'NODE_COMPILE_CACHE']) assert.ok(seen.includes(there), there)
    const basic = Buffer.from(`ada:${password}`).toString('base64')
    for (const secret of [password, basic, 'repository.json']) assert.ok(!seen.includes(secret), secret)
    const requests = git.seen.length
    assert.ok(requests > 0)
    await inPod(cluster, pod, 'sh', '-c', 'echo more >> /home/intern/workspace/widgets/README.md')
    await deletePod(cluster, pod)
    const next = await untilReplaced(cluster, server, id, pod)
    assert.equal(await inPod(cluster, next, 'cat', '/home/intern/workspace/widgets/README.md'), 'Widgets.more\n')
    assert.equal(git.seen.length, requests)
    assert.equal((await say(server, id, 'say hello')).text, 'hello')
  })

  test('that fails is reported with the reason at once, and succeeds after the repair', async (t) => {
    const cluster = await sharedCluster()
    const { gateway } = cluster.node
    await using git = await startGitServer({ 'README.md': 'Widgets.' }, { user: 'ada', password }, gateway)
    await using service = await startService(cluster, { REPOSITORY_ORIGINS: git.origin, KUBERNETES_EGRESS: gateway })
    const server = await service.start('a')
    const wrong = { url: git.url, credential: { username: 'ada', password: 'another-one-9876' } }
    const body = { name: 'ada', provision: true, repository: wrong, ...request }
    const { id } = (await server.ask('POST', '/interns', { body })).body
    const failed = await timed(t, 'until the failure is reported', () => untilIntern(server, id, 'failed', patientMs))
    assert.match(failed.last_failure_message, /widgets\.git is not cloned: its server refused the credential/)
    await until(async () => (await objectsOf(cluster, 'pod', id)).length === 0, patientMs)
    const repository = { url: git.url, credential: { username: 'ada', password } }
    await server.ask('PATCH', `/interns/${id}`, { body: { repository } })
    await server.ask('POST', `/interns/${id}/provision`)
    await untilIntern(server, id, 'running', patientMs)
    const cloned = await inPod(cluster, await podOf(cluster, id), 'cat', '/home/intern/workspace/widgets/README.md')
    assert.equal(cloned, 'Widgets.')
  })
})
