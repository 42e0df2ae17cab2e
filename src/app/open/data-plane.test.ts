import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '#test/harness/service/service.ts'
import { until } from '#test/harness/until.ts'

test('a completion that cannot be logged is metered, and is not reported as unmetered', async () => {
  const lines: string[] = []
  const log = (line: string) => {
    lines.push(line)
    if (line.includes('"msg":"completion"')) throw new Error('the log is broken')
  }
  await using service = await startTestService({ log })
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'demo:words=2' }] }
  const { status, headers } = await service.ask('POST', '/chat/completions', { body })
  assert.equal(status, 200)
  await until(() => lines.some((line) => line.includes('the log is broken')))
  assert.match((await service.manage('GET', '/metrics')).text, /^signalbox_completion_unmetered_total 0$/m)
  const id = headers.get('x-generation-id')
  await until(async () => (await service.ask('GET', `/generation?id=${id}`)).status === 200)
})
