import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startTestService, type TestService } from '../harness/service/service.ts'
import { untilMetered } from '../harness/service/world/generation-record.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../harness/upstream/scripted-upstream.ts'

let upstream: ScriptedUpstream
let service: TestService
let guardrail: string
const folder = mkdtempSync(join(tmpdir(), 'signalbox-replay-'))

const completion = {
  id: 'c',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1 },
}

/** Each model is answered by `first`; the other endpoint has one reason why it cannot. */
const models = {
  'a/served': { spare: {} },
  'a/unconfigured': { bare: {} },
  'a/incapable': { spare: { supported_parameters: ['temperature'] } },
  'a/open-circuit': { broken: {} },
}

before(async () => {
  upstream = await startScriptedUpstream(({ path }) =>
    path.startsWith('/broken')
      ? {
          status: 429,
          type: 'application/json',
          body: '{"error":{"message":"Slow down.","details":[{"retryDelay":"3600s"}]}}',
        }
      : { status: 200, type: 'application/json', body: JSON.stringify(completion) },
  )
  const provider = (name: string, credential: string) => ({
    name,
    protocol: 'openai-chat',
    base_url: `${upstream.url}/${name}`,
    credentials: [credential],
  })
  const providers = {
    first: provider('first', 'TEST_KEY'),
    spare: provider('spare', 'TEST_KEY'),
    bare: provider('bare', 'MISSING_KEY'),
    broken: provider('broken', 'TEST_KEY'),
  }
  const offer = { model: 'm', prices: { prompt: 1, completion: 2 }, supported_parameters: ['tools', 'tool_choice'] }
  const entries = Object.entries(models).map(([id, others]) => {
    const spare = Object.entries(others).map(([name, more]) => [name, { ...offer, ...more }])
    const endpoints = { first: offer, ...Object.fromEntries(spare) }
    return [id, { name: id, created: '2026-01-01', context_length: 10_000, endpoints }]
  })
  const catalogue_file = join(folder, 'catalogue.json')
  writeFileSync(catalogue_file, JSON.stringify({ providers, models: Object.fromEntries(entries) }))
  const settings = { catalogue_file, starter_catalogue: 'false' as never }
  service = await startTestService({ settings, variables: { TEST_KEY: 'upstream-secret' } })
  guardrail = (await service.manage('GET', '/workspaces')).body.data[0].default_guardrail_id
})
after(async () => {
  await service[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

function ask(model: string, provider: object = { order: ['first'] }) {
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
  const body = { model, messages: [{ role: 'user', content: 'Hi' }], tools, tool_choice: 'required', provider }
  return service.ask('POST', '/chat/completions', { body })
}

test('a replay and the saved guardrail give the same results', async () => {
  await ask('a/open-circuit', { only: ['broken'] })
  for (const model of Object.keys(models)) {
    const { status, headers } = await ask(model)
    assert.equal(status, 200, model)
    await untilMetered(service, headers.get('x-generation-id'))
  }
  const policy = { ignored_providers: ['first'] }
  const { data } = (await service.manage('POST', `/guardrails/${guardrail}/replay`, { policy, list: 10 })).body
  const promised = new Map<string, string>(
    data.touched_requests.map(({ model, effects }: any) => [model.split('@')[0], effects[0].outcome]),
  )
  await service.manage('PATCH', `/guardrails/${guardrail}`, policy)
  for (const model of Object.keys(models)) {
    const { status } = await ask(model, {})
    assert.equal(promised.get(model), status === 200 ? 'reroute' : 'refuse', `${model}: ${status}`)
  }
  assert.deepEqual([...promised.values()].sort(), ['refuse', 'refuse', 'refuse', 'reroute'])
})
