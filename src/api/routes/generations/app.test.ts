import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '#test/harness/service/service.ts'
import { untilMetered } from '#test/harness/service/world/generation-record.ts'

test('a generation has the name of the calling program, without its query', async () => {
  await using service = await startTestService()
  const ask = async (headers: Record<string, string>) => {
    const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hello' }] }
    const response = await service.ask('POST', '/chat/completions', { body, headers })
    const { app_title, http_referer, origin } = await untilMetered(
      service,
      response.headers.get('x-generation-id') ?? '',
    )
    return { app_title, http_referer, origin }
  }
  const referer = 'https://user:pass@editor.example/app?token=secret'
  assert.deepEqual(await ask({ 'x-title': 'Editor', 'http-referer': referer }), {
    app_title: 'Editor',
    http_referer: 'https://editor.example/app',
    origin: 'https://editor.example',
  })
  assert.deepEqual(await ask({ 'x-openrouter-title': 'e'.repeat(300), referer: 'not a url' }), {
    app_title: 'e'.repeat(200),
    http_referer: 'not a url',
    origin: '',
  })
  assert.deepEqual(await ask({}), { app_title: null, http_referer: null, origin: '' })
})
