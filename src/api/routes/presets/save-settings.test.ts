import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestService } from '#test/harness/service/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service[Symbol.asyncDispose]())

const config = {
  model: 'signalbox/demo',
  models: ['demo/other'],
  temperature: 0.2,
  max_output_tokens: 40,
  stop: ['END'],
  text: { format: { type: 'json_object' } },
  tools: [{ type: 'function', name: 'look' }, { type: 'web_search' }],
  provider: { sort: 'price' },
}
const settings = { system_prompt: 'Answer with a haiku.', config }

test('the settings of a version are stored as they are, and read back', async () => {
  const { status, body } = await service.manage('POST', '/presets/whole/versions', { settings })
  assert.deepEqual([status, body.data.skipped_fields], [200, []])
  const read = (await service.manage('GET', '/presets/whole/versions/1')).body.data
  assert.deepEqual([read.system_prompt, read.config], [settings.system_prompt, config])
})

test('a wrong or unknown field of the settings is named with its path', async () => {
  for (const [wrong, message] of [
    [{ ...config, temperature: 'warm' }, /: settings\.config\.temperature: /],
    [{ ...config, temprature: 1 }, /: settings\.config: unknown field "temprature" \(did you mean "temperature"\?\)/],
    [{ ...config, provider: { sort: 'best' } }, /: settings\.config\.provider\.sort: /],
  ] as const) {
    for (const path of ['versions', 'preview']) {
      const { status, body } = await service.manage('POST', `/presets/refused/${path}`, {
        settings: { config: wrong },
      })
      assert.equal(status, 400)
      assert.match(body.error.message, message)
    }
  }
  assert.equal((await service.manage('GET', '/presets/refused')).status, 404)
})

test('a preview stores nothing, and its chat request has the effect of the preset', async () => {
  const { body } = await service.manage('POST', '/presets/draft/preview', { settings })
  assert.equal((await service.manage('GET', '/presets/draft')).status, 404)
  const { chat } = body.data
  assert.deepEqual(
    [chat.max_completion_tokens, chat.response_format, chat.tools[0], chat.messages],
    [
      40,
      { type: 'json_object' },
      { type: 'function', function: { name: 'look' } },
      [{ role: 'system', content: 'Answer with a haiku.' }],
    ],
  )
  const messages = [...chat.messages, { role: 'user', content: 'Hello' }]
  const response = await service.ask('POST', '/chat/completions', { body: { ...chat, tools: [], messages } })
  assert.equal(response.status, 200, response.text)
})
