import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loadCatalogue } from '#catalogue/sources/load.ts'
import { startTestService } from '../harness/service/service.ts'
import { startScriptedUpstream } from '../harness/upstream/scripted-upstream.ts'

const scratch = mkdtempSync(join(tmpdir(), 'signalbox-local-'))
after(() => rmSync(scratch, { recursive: true, force: true }))
const page = readFileSync(fileURLToPath(new URL('../../docs/local-models.md', import.meta.url)), 'utf8')
const blocks = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = '']) => text)

function fileOf(name: string, text: string): string {
  const path = join(scratch, name)
  writeFileSync(path, text)
  return path
}

const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }]
const messages = [{ role: 'user', content: 'Hello' }]

test('the ten lines of the guide make a local server usable, with tools, for free', async () => {
  const list = { object: 'list', data: [{ id: 'qwen3:8b', object: 'model' }] }
  const response = {
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }
  await using server = await startScriptedUpstream(({ path }) => ({
    status: 200,
    type: 'application/json',
    body: JSON.stringify(path.endsWith('/models') ? list : { id: 'x', object: 'chat.completion', ...response }),
  }))
  const recipe = (blocks[0] ?? '').replace('http://127.0.0.1:11434/v1', `${server.url}/v1`)
  await using service = await startTestService({ settings: { catalogue_file: fileOf('recipe.yaml', recipe) } })
  for (const model of ['ollama/qwen3:8b', 'qwen3:8b']) {
    const { status, body } = await service.ask('POST', '/chat/completions', { body: { model, messages, tools } })
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual([body.choices[0].message.content, body.usage.cost], ['Hi', 0])
  }
  assert.deepEqual([server.requests.at(-1)?.body.model, server.requests.at(-1)?.body.tools], ['qwen3:8b', tools])
})

test('a refusal for a parameter names it', async () => {
  const file = `
providers: { plain: { name: Plain, protocol: openai-chat, base_url: "http://127.0.0.1:1/v1", prices: { prompt: 0, completion: 0 } } }
models: { plain/one: { name: One, created: 2026-01-01, context_length: 1000, endpoints: { plain: { model: one, supported_parameters: [max_tokens] } } } }
`
  await using service = await startTestService({ settings: { catalogue_file: fileOf('plain.yaml', file) } })
  const { status, body } = await service.ask('POST', '/chat/completions', {
    body: { model: 'plain/one', messages, tools },
  })
  assert.equal(status, 404)
  assert.match(body.error.message, /for each, it does not support tools \(supported_parameters in the catalogue\)\.$/)
  assert.deepEqual(body.error.metadata.excluded, [
    { endpoint: 'plain/one@plain', reason: 'unsupported_parameter', parameters: ['tools'] },
  ])
})

test('the other files of the page are in order', async () => {
  const settings = { starter_catalogue: true, data_dir: scratch, catalogue_file: fileOf('azure.yaml', blocks[1] ?? '') }
  const { data, report } = await loadCatalogue(settings)
  assert.deepEqual(report.skipped, [])
  const model = data.models.find(({ id }) => id === 'openai/gpt-5')
  assert.ok(model?.endpoints.some(({ provider }) => provider === 'azure'))
})

test('an intern whose agent is not installed is refused with the reason', async () => {
  const agents = { codex: { command: 'codex-that-is-not-there', args: [], env: {} } }
  await using service = await startTestService({ settings: { agents } })
  const created = await service.ask('POST', '/interns', { body: { name: 'ada', agent: 'codex' } })
  assert.equal(created.status, 400)
  assert.match(
    created.body.error.message,
    /agent: "codex-that-is-not-there" is not installed on this server; install it/,
  )
})

test('a refusal of an image names the supported inputs and the setting', async () => {
  const file = `
providers: { plain: { name: Plain, protocol: openai-chat, base_url: "http://127.0.0.1:1/v1", prices: { prompt: 0, completion: 0 } } }
models: { plain/one: { name: One, created: 2026-01-01, context_length: 1000, endpoints: { plain: { model: one } } } }
`
  await using service = await startTestService({ settings: { catalogue_file: fileOf('text.yaml', file) } })
  const content = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }]
  const body = { model: 'plain/one', messages: [{ role: 'user', content }] }
  const response = await service.ask('POST', '/chat/completions', { body })
  assert.equal(response.status, 404)
  assert.match(response.body.error.message, /in the request, but text \(input_modalities in the catalogue\)\.$/)
})
