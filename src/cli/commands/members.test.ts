import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { runCli } from '../cli.ts'

async function run(service: TestService, ...args: string[]) {
  const out: string[] = []
  const err: string[] = []
  const env = { SIGNALBOX_URL: service.url, SIGNALBOX_KEY: service.managementKey }
  const code = await runCli(args, { env, out: (text) => void out.push(text), err: (text) => void err.push(text) })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

test('members add, list and remove work', async () => {
  await using service = await startTestService()
  assert.match((await run(service, 'members', 'add', 'ada@example.com', 'Ada Lovelace')).out, /^Added ada@example.com/)
  const { out: key } = await run(service, 'keys', 'create', 'laptop', '--for', 'Ada@example.com')
  const { out: listed } = await run(service, 'members', 'list')
  const [head, , row] = listed.split('\n')
  assert.match(head!, /^EMAIL +NAME +ROLE +JOINED +ID$/)
  assert.match(row!, /^ada@example\.com +Ada Lovelace +member +\d{4}-\d\d-\d\d +\S+$/)
  const { out } = await run(service, 'members', 'remove', 'ada@example.com', '--disable-keys')
  assert.equal(out, 'Removed ada@example.com, and disabled 1 key.')
  assert.equal((await service.ask('GET', '/key', { key })).status, 401)
  assert.equal(JSON.parse((await run(service, 'members', 'list', '--json')).out).length, 1)
})

test('members add refuses two roles', async () => {
  await using service = await startTestService()
  const { err } = await run(service, 'members', 'add', 'ada@example.com', 'Ada', '--admin', '--access', 'viewer')
  assert.match(err, /^error: option '--admin' cannot be used with option '--access <role>'/)
})

test('an unknown address is an error', async () => {
  await using service = await startTestService()
  for (const args of [
    ['members', 'remove', 'eve@example.com'],
    ['keys', 'create', 'x', '--for', 'eve@example.com'],
  ]) {
    const { code, err } = await run(service, ...args)
    assert.equal(code, 1)
    assert.match(err, /Member "eve@example.com" not found\. To list all: npx signalbox members list/)
  }
})
