import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { untilMetered } from '#test/harness/service/world/generation-record.ts'
import { runCli } from '../cli.ts'

async function run(service: TestService, ...args: string[]) {
  const out: string[] = []
  const env = { SIGNALBOX_URL: service.url, SIGNALBOX_KEY: service.managementKey }
  const code = await runCli(args, { env, out: (text) => void out.push(text), err: (text) => void out.push(text) })
  return { code, out: out.join('\n') }
}

test('usage prints rows by member, key, workspace, day or model, and the total', async () => {
  await using service = await startTestService()
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }] }
  const { headers } = await service.ask('POST', '/chat/completions', { body })
  await untilMetered(service, headers.get('x-generation-id'))
  const kinds = {
    member: /^owner@localhost +Owner +1 +1 +\d+( +0\.000000){3}$/m,
    key: /^[0-9a-f]{12} +\S+.* owner@localhost +1 +/m,
    workspace: /^default +1 +/im,
    day: /^\d{4}-\d\d-\d\d +1 +/m,
    model: /^signalbox\/demo +1 +/m,
  }
  for (const [by, row] of Object.entries(kinds)) {
    const { code, out } = await run(service, 'usage', '--by', by)
    assert.equal(code, 0, out)
    assert.match(out, row)
    assert.match(out, /^TOTAL +1 +/m)
  }
  const { out } = await run(service, 'usage', '--for', 'owner@localhost', '--json')
  assert.equal(JSON.parse(out)[0].user_name, 'Owner')
  assert.match(
    (await run(service, 'usage', '--workspace', 'lab')).out,
    /^Workspace "lab" not found\. To list all: npx signalbox w/,
  )
  const { code, out: refusal } = await run(service, 'usage', '--for', 'eve@example.com')
  assert.deepEqual([code, /no member has this email address/.test(refusal)], [1, true])
})
