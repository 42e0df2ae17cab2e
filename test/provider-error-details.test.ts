import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startTestService, type TestService } from './harness/service/service.ts'
import { type ScriptedUpstream, startScriptedUpstream } from './harness/upstream/scripted-upstream.ts'

const details = { error_code: 'model_overused', limits: [{ name: 'requests', remaining: 0 }] }

describe("details of a provider's error", () => {
  let upstream: ScriptedUpstream
  let service: TestService
  let sent: object = details
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-details-'))
  before(async () => {
    upstream = await startScriptedUpstream(() => ({
      status: 400,
      type: 'application/json',
      body: JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: 'No.', details: sent } }),
    }))
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
    const body = { model: 'a/m', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }
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

  test('are dropped where they hold the credential', async () => {
    sent = { authorization: 'Bearer upstream-secret' }
    assert.doesNotMatch((await ask('/messages')).text, /upstream-secret/)
  })
})
