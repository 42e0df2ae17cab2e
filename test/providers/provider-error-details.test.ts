import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startTestService, type TestService } from '../harness/service/service.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../harness/upstream/scripted-upstream.ts'

const details = { error_code: 'model_overused', limits: [{ name: 'requests', remaining: 0 }] }

describe("details of a provider's error", () => {
  let upstream: ScriptedUpstream
  let service: TestService
  let sent: object = details
  let streamed: object[] | undefined
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-details-'))
  before(async () => {
    upstream = await startScriptedUpstream(() => {
      const error = { type: 'error', error: { type: 'invalid_request_error', message: 'No.', details: sent } }
      if (!streamed) return { status: 400, type: 'application/json', body: JSON.stringify(error) }
      const body = [...streamed, error].map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
      return { status: 200, type: 'text/event-stream', body }
    })
    const catalogue_file = join(folder, 'catalogue.json')
    const provider = { name: 'A', protocol: 'anthropic-messages', base_url: upstream.url, credentials: ['TEST_KEY'] }
    const endpoints = { a: { model: 'm', prices: { prompt: 1, completion: 2 } } }
    const model = { name: 'M', created: '2026-01-01', context_length: 1000, endpoints }
    writeFileSync(catalogue_file, JSON.stringify({ providers: { a: provider }, models: { 'a/m': model } }))
    const settings = { catalogue_file, starter_catalogue: 'false' as never }
    service = await startTestService({ settings, variables: { TEST_KEY: 'upstream-secret' } })
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  const ask = (path: string) => {
    const stream = streamed !== undefined
    const body = { model: 'a/m', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }], stream }
    return service.ask('POST', path, { body })
  }

  test('reach clients of Anthropic unchanged', async () => {
    const { status, body } = await ask('/messages')
    assert.equal(status, 400)
    assert.deepEqual(body.error, { type: 'invalid_request_error', message: 'No.', details })
  })

  test('reach other clients as provider_details', async () => {
    const { body } = await ask('/chat/completions')
    assert.deepEqual(body.error.metadata.provider_details, details)
  })

  const opening = { type: 'message_start', message: { id: 'm', model: 'm', usage: { input_tokens: 1 } } }
  const text = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } }

  test('reach clients of Anthropic from a stream before its content', async () => {
    streamed = [opening, { type: 'ping' }]
    const { status, body } = await ask('/messages')
    assert.deepEqual([status, body.error], [400, { type: 'invalid_request_error', message: 'No.', details }])
    assert.deepEqual((await ask('/chat/completions')).body.error.metadata.provider_details, details)
  })

  test('reach clients of Anthropic from a stream within its content', async () => {
    streamed = [opening, text]
    const { status, text: response } = await ask('/messages')
    const last = JSON.parse(response.trim().split('\ndata: ').at(-1)!)
    assert.deepEqual([status, last.error.details], [200, details])
  })

  test('are dropped where they hold the credential', async () => {
    sent = { authorization: 'Bearer upstream-secret' }
    for (const events of [undefined, [opening], [opening, text]]) {
      streamed = events
      assert.doesNotMatch((await ask('/messages')).text, /upstream-secret/)
    }
  })
})
