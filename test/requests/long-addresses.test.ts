import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide } from '#interns/contract/rules/decide.ts'
import { startTestService } from '../harness/service/service.ts'

/** An address of which `URL.canParse` says that it is one, and `new URL` that it is none. */
const address = `https://${'A-'.repeat(9000)}`

test('a too long host name is refused as an error of the client', async () => {
  await using service = await startTestService()
  const intern = (more: object) => service.ask('POST', '/interns', { body: { name: 'ada', ...more } })
  for (const answered of [
    intern({ repository: { url: address } }),
    intern({ mcp_servers: [{ type: 'http', name: 'tools', url: address }] }),
    service.manage('POST', '/webhooks', { url: address, events: ['intern.failed'] }),
  ]) {
    const { status, text } = await answered
    assert.equal(status, 400, text)
  }
})

test('nor does such an address keep an intern’s daemon from judging a command', () => {
  const sets = [{ scope: 'intern', version: 1, rules: [{ effect: 'deny', hosts: ['evil.example'] }] }] as const
  const action = { operation: 'shell', paths: [], hosts: [], root: '/work', unsure: false }
  const effect = (command: string) => decide(sets as never, { ...action, command }, 'builtin')?.effect
  assert.equal(effect(`curl ${address}`), undefined)
  assert.equal(effect(`curl ${address} https://evil.example`), 'deny')
})
