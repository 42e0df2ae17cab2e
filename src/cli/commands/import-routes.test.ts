import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startTestService } from '#test/harness/service/service.ts'
import { parseRequest, startScriptedUpstream } from '#test/harness/upstream/scripted-upstream.ts'
import { encodeResponse } from '#test/harness/upstream/upstream-responses.ts'
import { runCli } from '../cli.ts'

const scratch = mkdtempSync(join(tmpdir(), 'signalbox-import-'))
after(() => rmSync(scratch, { recursive: true, force: true }))

/** A row of LiteLLM, and the request that its server must receive. */
const rows = [
  ['claude', 'anthropic/claude-x', '', '/v1/messages', 'x-api-key'],
  ['gemini', 'gemini/gemini-x', '/v1beta', '/v1beta/models/gemini-x:generateContent', 'x-goog-api-key'],
  ['chat', 'openai/some/chat-x', '/v1', '/v1/chat/completions', 'authorization'],
  ['answers', 'openai/responses/answers-x', '/v1', '/v1/responses', 'authorization'],
  ['llama', 'ollama_chat/llama-x', '', '/v1/chat/completions', 'authorization'],
  ['azure', 'azure/azure-x', '', '/openai/v1/chat/completions', 'authorization'],
] as const

test('a request by its LiteLLM name reaches the server of the row with its key', async () => {
  await using upstream = await startScriptedUpstream((received) => {
    const { protocol, streamed } = parseRequest(received)
    return encodeResponse(protocol, { text: 'Here.' }, streamed)
  })
  const model_list = rows.map(([model_name, model, base]) => ({
    model_name,
    litellm_params: { model, api_base: `${upstream.url}${base}`, api_key: 'os.environ/ROW_KEY' },
  }))
  const config = join(scratch, 'config.yaml')
  const catalogue_file = join(scratch, 'catalogue.yaml')
  writeFileSync(config, JSON.stringify({ model_list }))
  const terminal = { env: { DATA_DIR: scratch }, out: () => {}, err: assert.fail }
  assert.equal(await runCli(['import', 'litellm', config, '--out', catalogue_file], terminal), 0)
  await using service = await startTestService({ settings: { catalogue_file }, variables: { ROW_KEY: 'row-secret' } })
  for (const [model, , , path, header] of rows) {
    const body = { model, messages: [{ role: 'user', content: 'Hi' }] }
    const { status, text } = await service.ask('POST', '/chat/completions', { body })
    assert.equal(status, 200, `${model}: ${text}`)
    const sent = upstream.requests.at(-1)!
    assert.equal(sent.path.split('?')[0], path)
    assert.match(String(sent.headers[header]), /row-secret/)
    assert.ok(`${sent.path} ${sent.body.model}`.includes(`${model}-x`), sent.text)
  }
})
