import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { test } from 'node:test'
import { startMailServer } from '#test/harness/service/mail-server.ts'
import { sendMail } from './mail.ts'

test('a host whose name has no domain introduces itself with the domain of the sender', async () => {
  await using server = await startMailServer()
  await sendMail(server.settings, { to: 'ada@example.org', subject: 'Hello', text: 'Hello' })
  const { helloName } = await server.waitFor('Subject: Hello')
  assert.equal(helloName, hostname().includes('.') ? hostname() : 'example.com')
})
