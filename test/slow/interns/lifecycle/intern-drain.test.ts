import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startInternHosts } from '../../../harness/interns/intern-hosts.ts'
import { runningIntern, say } from '../../../harness/interns/interns.ts'
import { until } from '../../../harness/until.ts'

const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'

/** A completion that lasts until its client leaves. */
async function startStream(url: string, key: string): Promise<AbortController> {
  const client = new AbortController()
  const messages = [{ role: 'user', content: 'demo:pace=1000 demo:words=3600' }]
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'signalbox/demo', stream: true, messages }),
    signal: client.signal,
  })
  await response.body!.getReader().read()
  return client
}

for (const workers of ['1', '2'])
  test(`interns of a draining server with ${workers} workers answer through another`, {
    skip,
  }, async () => {
    await using hosts = await startInternHosts()
    const leaving = await hosts.start('a', {
      DRAIN_MS: '200',
      SHUTDOWN_GRACE_MS: '600000',
      LOG_LEVEL: 'info',
      WORKERS: workers,
    })
    const builtin = await runningIntern(leaving, { name: 'builtin' })
    const staying = await hosts.start('b', { INTERNS: 'off' })
    const client = await startStream(leaving.url, hosts.apiKey)
    const selfDrive = { approval_mode: 'self-drive' }
    await say(staying, builtin.id, 'before', selfDrive)

    leaving.process.signal('SIGTERM')
    await until(() => /drained/.test(leaving.process.out() + leaving.process.err()))
    for (let turn = 0; turn < 5; turn++) {
      const { text } = await say(staying, builtin.id, `during ${turn}`, selfDrive)
      assert.match(text, /during/)
    }
    const slow = say(staying, builtin.id, 'run `sleep 3; echo slept`', selfDrive)
    // A turn that starts after the server has ended would not show that the server waits for it.
    await until(async () => {
      const { body } = await staying.ask('GET', `/interns/${builtin.id}/runs`)
      return body.data.some((run: { status: string }) => run.status === 'running')
    })
    client.abort()
    assert.match((await slow).text, /slept/)
    assert.equal(await leaving.process.ended, 0)
  })
