import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startTestService } from '#test/harness/service/service.ts'
import { recordingFor, startScriptedUpstream } from '#test/harness/upstream/scripted-upstream.ts'

const longText = 'x'.repeat(20_000)
const messages = [{ role: 'user', content: longText }]
const requests = {
  'openai-chat': ['/chat/completions', { messages }],
  'openai-responses': ['/responses', { input: messages, instructions: 'Be brief.' }],
  'anthropic-messages': ['/messages', { messages, max_tokens: 50, user: 'of this service' }],
} as const

/** JavaScript cannot represent this number, so parsing and writing it would change it. */
const longNumber = '12345678901234567890'

test('a long body passes unchanged to the same protocol, without own fields', async () => {
  await using upstream = await startScriptedUpstream(recordingFor)
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bytes-'))
  const catalogue_file = join(folder, 'catalogue.json')
  const protocols = Object.keys(requests) as (keyof typeof requests)[]
  const provider = (protocol: string) => ({ name: protocol, protocol, base_url: upstream.url, credentials: ['KEY'] })
  const model = (protocol: string) => ({
    name: protocol,
    created: '2026-01-01',
    context_length: 100_000,
    endpoints: { [protocol]: { model: 'text', prices: { prompt: 1, completion: 1 } } },
  })
  const providers = Object.fromEntries(protocols.map((protocol) => [protocol, provider(protocol)]))
  const models = Object.fromEntries(protocols.map((protocol) => [`a/${protocol}`, model(protocol)]))
  writeFileSync(catalogue_file, JSON.stringify({ providers, models }))
  const settings = { catalogue_file, starter_catalogue: 'false' as never }
  await using service = await startTestService({ settings, variables: { KEY: 'secret' } })
  // Loads the key into the cache.
  await service.ask('GET', '/models')
  for (const protocol of protocols) {
    const [path, more] = requests[protocol]
    const text = JSON.stringify({ model: `a/${protocol}`, session_id: 'ours', more: 'LONG', ...more })
    const { status } = await fetch(service.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
      body: text.replace('"LONG"', longNumber),
    })
    const sent = upstream.requests.at(-1)!
    assert.deepEqual([status, sent.body.model, sent.body.session_id], [200, 'text', undefined], protocol)
    assert.match(sent.text, new RegExp(`"more":${longNumber}[,}]`), protocol)
    if (protocol === 'anthropic-messages') assert.equal(sent.body.user, undefined)
  }
  rmSync(folder, { recursive: true })
})
