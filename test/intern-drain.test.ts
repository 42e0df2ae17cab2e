import assert from 'node:assert/strict'
import { test } from 'node:test'
import { open } from './harness/intern-chat.ts'
import { startInternHosts } from './harness/intern-hosts.ts'
import { runningIntern, say } from './harness/interns.ts'
import { until } from './harness/until.ts'

const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'

test('interns of a server that drains answer turns through another server until it ends', { skip }, async () => {
  await using hosts = await startInternHosts()
  const leaving = await hosts.start('a', { DRAIN_MS: '200', SHUTDOWN_GRACE_MS: '600000', LOG_LEVEL: 'info' })
  const builtin = await runningIntern(leaving, { name: 'builtin' })
  const scripted = await runningIntern(leaving, { name: 'scripted', agent: 'scripted' })
  const staying = await hosts.start('b', { INTERNS: 'off' })
  const messages = [{ role: 'user', content: 'say held\nwait 3600000' }]
  const held = await open({ url: leaving.url, apiKey: hosts.apiKey }, scripted.id, { messages })
  const selfDrive = { approval_mode: 'self-drive' }
  await say(staying, builtin.id, 'before', selfDrive)

  leaving.process.signal('SIGTERM')
  await until(() => /drained/.test(leaving.process.out() + leaving.process.err()))
  for (let turn = 0; turn < 5; turn++) {
    const { text } = await say(staying, builtin.id, `during ${turn}`, selfDrive)
    assert.match(text, /during/)
  }
  const slow = say(staying, builtin.id, 'run `sleep 3; echo slept`', selfDrive)
  await new Promise((resolve) => setTimeout(resolve, 1000))
  held.leave()
  assert.match((await slow).text, /slept/)
  assert.equal(await leaving.process.ended, 0)
})
