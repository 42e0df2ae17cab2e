import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newTestStore } from '#test/harness/database/databases.ts'
import { openBrowser, signIn } from '#test/harness/service/browser-client.ts'
import { startTestService } from '#test/harness/service/service.ts'
import { runCli } from '../cli.ts'

async function run(env: Record<string, string>, ...args: string[]) {
  const out: string[] = []
  const err: string[] = []
  const terminal = { out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) }
  const code = await runCli(args, { env, ...terminal })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

const tokenIn = (url: string) => new URL(url).hash.slice('#sign-in='.length)

test('sessions list, end and link work', async () => {
  await using service = await startTestService()
  const env = { SIGNALBOX_URL: service.url, SIGNALBOX_KEY: service.managementKey }
  const { out: link, err } = await run(env, 'sessions', 'link', '--for', 'owner@localhost')
  assert.match(err, /once, for 15 minutes/)
  const documented = { BASE_URL: service.url, MANAGEMENT_KEY: service.managementKey }
  assert.match((await run(documented, 'sessions', 'link')).out, /#sign-in=/)
  const browser = await openBrowser(service, { link: tokenIn(link) })
  const { out: listed } = await run(env, 'sessions', 'list')
  const [head, row] = listed.split('\n')
  assert.match(head!, /^ID +MEMBER +METHOD +ADDRESS +LAST USED/)
  assert.match(row!, new RegExp(`^${browser.session.id} +owner@localhost +link +127\\.0\\.0\\.1 +20`))
  assert.equal(JSON.parse((await run(env, 'sessions', 'list', '--json')).out)[0].id, browser.session.id)
  assert.equal((await run(env, 'sessions', 'end', browser.session.id)).out, `Ended session ${browser.session.id}.`)
  assert.equal((await browser.ask('GET', '/sessions/current')).status, 401)
  const repeated = await run(env, 'sessions', 'end', browser.session.id)
  assert.deepEqual([repeated.code, /Session not found/.test(repeated.err)], [1, true])
})

test('sessions link works without a key while the service is stopped', async () => {
  const testStore = await newTestStore('sqlite')
  const env = { DATA_DIR: testStore.settings.data_dir, PORT: '9090' }
  await using first = await startTestService({ testStore })
  const refused = await run(env, 'sessions', 'link')
  assert.equal(refused.code, 1)
  assert.match(
    refused.err,
    /^Another Signalbox .*\. Stop it for this command\. Or set SIGNALBOX_KEY to a management key, to call /,
  )
  await first.stop()
  const unknown = await run(env, 'sessions', 'link', '--for', 'eve@example.com')
  assert.match(unknown.err, /Member "eve@example\.com" not found/)
  const { out } = await run(env, 'sessions', 'link')
  assert.match(out, /^http:\/\/127\.0\.0\.1:9090\/#sign-in=[\w-]{43}$/)
  const { out: atProxy } = await run({ ...env, PUBLIC_URL: 'https://signalbox.example.com' }, 'sessions', 'link')
  assert.match(atProxy, /^https:\/\/signalbox\.example\.com\/#sign-in=/)
  await using second = await startTestService({ testStore })
  assert.equal((await signIn(second, { link: tokenIn(out) })).status, 201)
  await second.stop()
  await testStore.remove()
})
