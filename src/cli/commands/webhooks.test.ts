import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startReceiver, verified } from '#test/harness/service/receiver.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { until } from '#test/harness/until.ts'
import { runCli } from '../cli.ts'

async function run({ url, managementKey }: TestService, ...args: string[]) {
  const out: string[] = []
  const err: string[] = []
  const env = { SIGNALBOX_URL: url, SIGNALBOX_KEY: managementKey }
  const terminal = {
    env,
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
  }
  const code = await runCli(['webhooks', ...args], terminal)
  return { code, out: out.join('\n'), err: err.join('\n') }
}

test('webhooks create, list, test, deliveries, retry, rotate, disable and delete work', async () => {
  await using receiver = await startReceiver()
  await using service = await startTestService({ settings: { webhook_origins: [receiver.origin] } })
  const created = await run(service, 'create', receiver.url, '--include', 'question', '--description', 'chat')
  const id = /webhook (\S+)\. It is not shown again/.exec(created.err)?.[1] ?? ''
  assert.match((await run(service, 'list')).out, /enabled +http:.*chat/)
  const delivery = /^Queued (msg_\w+)\./.exec((await run(service, 'test', id)).out)?.[1] ?? ''
  assert.equal(verified(created.out, await receiver.receive('webhook.test')).type, 'webhook.test')
  await until(async () => /webhook\.test +delivered +1/.test((await run(service, 'deliveries', id)).out))
  assert.equal((await run(service, 'retry', id, delivery)).out, `Queued ${delivery} again.`)
  await until(() => receiver.received.length === 2)
  assert.match((await run(service, 'rotate', id, '--overlap', '0')).out, /^whsec_/)
  assert.equal((await run(service, 'disable', id)).out, `Disabled ${id}.`)
  assert.match((await run(service, 'test', id)).err, /disabled; enable it first/)
  assert.equal((await run(service, 'enable', id)).out, `Enabled ${id}.`)
  assert.equal((await run(service, 'delete', id)).out, `Deleted ${id}.`)
  assert.match((await run(service, 'list')).out, /^ID[^\n]*$/)
})
