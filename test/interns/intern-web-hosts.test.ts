import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { onOneDatabase } from '../harness/database/databases.ts'
import { runningIntern } from '../harness/interns/interns.ts'
import { startTestService } from '../harness/service/service.ts'

onOneDatabase('the hosts that an intern may fetch from', (kind) => {
  test('are stored, changed and passed to its agent; the default is none', async () => {
    await using service = await startTestService({ kind })
    const intern = await runningIntern(service, { web_hosts: ['example.com', '*.example.org'] })
    assert.deepEqual(intern.web_hosts, ['example.com', '*.example.org'])
    const file = join(service.testStore.settings.data_dir, 'interns', intern.id, 'settings.json')
    const { agent } = JSON.parse(readFileSync(file, 'utf8'))
    assert.equal(agent.env.SIGNALBOX_WEB_HOSTS, 'example.com,*.example.org')
    const changed = await service.ask('PATCH', '/interns/ada', { body: { web_hosts: [] } })
    assert.deepEqual([changed.status, changed.body.web_hosts], [200, []])
    const { body } = await service.ask('POST', '/interns', { body: { name: 'bob' } })
    assert.deepEqual(body.web_hosts, [])
  })
})

test('values that are not hosts are refused with their position', async () => {
  await using service = await startTestService()
  for (const host of [
    'https://example.com',
    'example.com/path',
    'a,b',
    '*.*.com',
    'exa mple.com',
    '300.1.1.1',
    '10.0.0.0/99',
    '',
  ]) {
    const { status, body } = await service.ask('POST', '/interns', { body: { name: 'ada', web_hosts: ['*', host] } })
    assert.equal(status, 400, host)
    assert.match(body.error.message, /web_hosts\[1\]: must /)
  }
})
