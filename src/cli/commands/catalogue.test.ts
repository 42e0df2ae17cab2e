import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { loadCatalogue } from '#catalogue/sources/load.ts'
import { startScriptedUpstream } from '#test/harness/upstream/scripted-upstream.ts'
import { runCli } from '../cli.ts'

const scratch = mkdtempSync(join(tmpdir(), 'signalbox-cli-'))
after(() => rmSync(scratch, { recursive: true, force: true }))
const DATA_DIR = join(scratch, "it's a (strange) #folder")

function fileOf(name: string, content: string): string {
  const path = join(scratch, name)
  writeFileSync(path, content)
  return path
}

async function run(...args: string[]) {
  const [out, err]: [string[], string[]] = [[], []]
  const code = await runCli(['catalogue', ...args], {
    env: { DATA_DIR, QUOTED_TEST_KEY: '"secret"' },
    out: (text) => void out.push(`${text}\n`),
    err: (text) => void err.push(`${text}\n`),
  })
  return { code, out: out.join(''), err: err.join('') }
}

const entry = (id: string, more: object = {}) => ({
  id,
  name: id,
  release_date: '2026-01-02',
  modalities: { input: ['text'], output: ['text'] },
  limit: { context: 1000, output: 100 },
  cost: { input: 3, output: 15 },
  ...more,
})
const xai = { id: 'xai', name: 'xAI', npm: '@ai-sdk/xai', env: ['XAI_API_KEY'] }

test('sync writes the snapshot, and prints counts and skipped rows', async () => {
  const models = { 'grok-9': entry('grok-9'), 'grok-x': entry('grok-x', { cost: undefined }) }
  const { code, out } = await run('sync', '--from', fileOf('api.json', JSON.stringify({ xai: { ...xai, models } })))
  assert.equal(code, 0)
  assert.match(
    out,
    /^1 models with 1 endpoints from 1 providers; 0 rows merged, 1 row skipped\.\n +1 skipped: it has no price/,
  )
  assert.match(
    out,
    /Written to .*models\.dev\.json\. To load it into a running server: kill -HUP .*\/catalogue\/reload/,
  )
  writeFileSync(join(DATA_DIR, 'server.pid'), '7')
  const line = /: kill -HUP (.*), or/.exec(out)?.[1]
  assert.equal(execFileSync('sh', ['-c', `echo ${line}`], { encoding: 'utf8' }), '7\n')
  const { data } = await loadCatalogue({ starter_catalogue: false, data_dir: DATA_DIR })
  assert.deepEqual(
    data.models.map(({ id }) => id),
    ['x-ai/grok-9'],
  )
})

test('sync reports a missing or invalid snapshot in one sentence', async () => {
  for (const file of [join(scratch, 'nowhere.json'), fileOf('other.json', '{"hello": "world"}')]) {
    const { code, out, err } = await run('sync', '--from', file)
    assert.deepEqual([code, out, err.trim().split('\n').length], [1, '', 1])
    assert.ok(err.startsWith(file), err)
  }
})

test('check fails, and lists each problem with its line and field', async () => {
  const file = fileOf('mine.yaml', 'models:\n  openai/gpt-5:\n    context_length: big\n  maker/new:\n    name: New\n')
  const { code, out, err } = await run('check', file)
  assert.deepEqual(out.trim().split('\n'), [
    `${file}:3: openai/gpt-5: context_length: expected number, received string`,
    `${file}:4: maker/new: no earlier source contains this model, and here it lacks created, context_length`,
  ])
  assert.deepEqual([code, err], [1, `${file}: 2 rows would be skipped.\n`])
})

test('check accepts a valid file', async () => {
  const file = fileOf('good.yaml', 'models: { openai/gpt-5: { categories: [programming] } }')
  const { code, out } = await run('check', file)
  assert.equal(code, 0)
  assert.match(out, /good\.yaml is valid\. With it, the catalogue has \d+ models/)
})

test('check rejects a base_url with a query, and hints at other probable mistakes', async () => {
  const provider = (more: string) => `{ name: N, protocol: openai-chat, ${more} }`
  const file = fileOf(
    'urls.yaml',
    `providers:
  a: ${provider('base_url: "http://127.0.0.1:1/v1?key=x"')}
  b: ${provider('base_url: "http://127.0.0.1:1", discover: true')}
  c: ${provider('base_url: "http://127.0.0.1:1/v1"')}
`,
  )
  const { code, out } = await run('check', file)
  const [query, version, unreachable, ...rest] = out.trim().split('\n')
  assert.equal(
    query,
    `${file}:2: a: base_url: must have no query, because operations are appended to it, such as /chat/completions`,
  )
  assert.equal(
    version,
    `hint: ${file}:3: b: base_url http://127.0.0.1:1 has no version; most servers require http://127.0.0.1:1/v1`,
  )
  assert.match(unreachable!, /^hint: http:\/\/127\.0\.0\.1:1\/models: b: the models of this server could not be read: /)
  assert.deepEqual([rest, code], [['b: no model'], 1])
})

test('check prints the models that a server lists', async () => {
  const data = ['qwen3:8b', 'gemma3'].map((id) => ({ id }))
  await using server = await startScriptedUpstream(() => ({
    status: 200,
    type: 'application/json',
    body: JSON.stringify({ object: 'list', data }),
  }))
  const provider = `{ name: O, protocol: openai-chat, base_url: "${server.url}/v1", discover: true, prices: { prompt: 0, completion: 0 } }`
  const { code, out } = await run('check', fileOf('local.yaml', `providers: { ollama: ${provider} }`))
  assert.equal(code, 0)
  assert.match(out, /^ollama: 2 models: ollama\/qwen3:8b, ollama\/gemma3$/m)
})

test('check sends the key of a server unquoted, and names a missing variable', async () => {
  await using server = await startScriptedUpstream(() => ({ status: 401, type: 'application/json', body: '{}' }))
  const providerWith = (more: string) =>
    `{ name: V, protocol: openai-chat, base_url: "${server.url}/v1", discover: true, prices: { prompt: 0, completion: 0 }${more} }`
  const check = (more: string) => run('check', fileOf('keyed.yaml', `providers: { vllm: ${providerWith(more)} }`))
  const unset = await check(', credentials: [VLLM_TEST_KEY]')
  assert.match(unset.out, /it requires a key \(401\), and VLLM_TEST_KEY is not set/)
  assert.doesNotMatch(unset.out, /is valid/)
  assert.deepEqual([unset.code, unset.err.includes('vllm: no models were read, because the key is missing')], [1, true])
  await check(', credentials: [QUOTED_TEST_KEY]')
  assert.equal(server.requests.at(-1)!.headers.authorization, 'Bearer secret')
  assert.match((await check('')).out, /name the environment variable that holds it with "credentials: \[NAME\]"/)
})
