import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startTestService } from '#test/harness/service/service.ts'
import { startScriptedUpstream } from '#test/harness/upstream/scripted-upstream.ts'

const secret = 'no-pattern-knows-this-one-4711'

test('a credential in an upstream message is masked in any form', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-ask-'))
  const body = JSON.stringify({ error: { message: `Your key ${secret} takes no such request.` } })
  await using upstream = await startScriptedUpstream(() => ({ status: 400, type: 'application/json', body }))
  const provider = { name: 'P', protocol: 'openai-chat', base_url: upstream.url, credentials: ['TEST_KEY'] }
  const endpoints = { p: { model: 'm', prices: { prompt: 1, completion: 1 } } }
  const models = { 'a/m': { name: 'M', created: '2026-01-01', context_length: 1000, endpoints } }
  const catalogue_file = join(folder, 'catalogue.json')
  writeFileSync(catalogue_file, JSON.stringify({ providers: { p: provider }, models }))
  const settings = { catalogue_file, starter_catalogue: 'false' as never }
  await using service = await startTestService({ settings, variables: { TEST_KEY: secret } })
  const request = { model: 'a/m', messages: [{ role: 'user', content: 'Hi' }] }
  const { status, text } = await service.ask('POST', '/chat/completions', { body: request })
  assert.deepEqual([status, upstream.requests[0]?.headers.authorization], [400, `Bearer ${secret}`])
  assert.match(text, /Your key [^ ]+ takes no such request/)
  assert.ok(!text.includes(secret))
  rmSync(folder, { recursive: true })
})
