import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createLocalSignals } from '#platform/db/signals.ts'
import { until } from '#test/harness/until.ts'
import { openCatalogue } from '../catalogue-holder.ts'
import { loadCatalogue } from '../load.ts'
import { ModelDiscovery } from './model-discovery.ts'

const scratch = mkdtempSync(join(tmpdir(), 'signalbox-discover-'))
after(() => rmSync(scratch, { recursive: true, force: true }))
let files = 0

/** A model server whose list the test sets. */
async function modelServer(answer: () => unknown) {
  const requests: (string | undefined)[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.url} ${request.headers.authorization}`)
    const result = answer()
    if (result !== undefined) response.end(typeof result === 'string' ? result : JSON.stringify(result))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  after(close)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests, close }
}

function settingsFor(provider: object, models: object = {}) {
  const catalogue_file = join(scratch, `${files++}.yaml`)
  const local = { name: 'Local', protocol: 'openai-chat', discover: true, ...provider }
  writeFileSync(catalogue_file, JSON.stringify({ providers: { local }, models }))
  return { starter_catalogue: false, data_dir: scratch, catalogue_file }
}

const free = { prices: { prompt: 0, completion: 0 } }
const ofServers = {
  object: 'list',
  data: [
    { id: 'qwen3:8b', object: 'model', created: 1_760_000_000 },
    { id: 'meta-llama/Llama-3.1-8B-Instruct', max_model_len: 16_384 },
    { id: '../models/Phi-4_Q4.gguf', meta: { n_ctx_train: 4096 } },
    { id: 'nomic-embed-text:latest' },
    { name: 'nothing' },
  ],
}
const variable = (name: string) => ({ LOCAL_KEY: 'secret-of-local' })[name]

test('no report contains a password from an address or a variable', async () => {
  const discovery = new ModelDiscovery({ readVariable: () => 'https://me:hunter2@x.example' })
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable in an address
  for (const base_url of ['https://me:hunter2@x.example/v1', '${ANY}/v1']) {
    const { report } = await loadCatalogue(settingsFor({ base_url, ...free }), discovery)
    assert.match(report.skipped[0]?.reason ?? '', /user or password/)
    assert.doesNotMatch(JSON.stringify(report), /hunter2/)
  }
})

test('models are read from a server’s own list, with its key, and take tools', async () => {
  const { url, requests } = await modelServer(() => ofServers)
  const settings = settingsFor({ base_url: url, credentials: ['LOCAL_KEY'], ...free })
  const { data, report } = await loadCatalogue(settings, new ModelDiscovery({ readVariable: variable }))
  const found = data.models.map(({ id, contextLength, endpoints }) => [id, contextLength, endpoints[0]?.upstreamModel])
  assert.deepEqual(found, [
    ['local/qwen3:8b', 131_072, 'qwen3:8b'],
    ['local/llama-3.1-8b-instruct', 16_384, 'meta-llama/Llama-3.1-8B-Instruct'],
    ['local/phi-4_q4', 4096, '../models/Phi-4_Q4.gguf'],
    ['local/nomic-embed-text:latest', 131_072, 'nomic-embed-text:latest'],
  ])
  const [qwen, , , nomic] = data.models
  assert.deepEqual(
    [qwen?.canonicalSlug, qwen?.aliases, nomic?.outputModalities],
    ['local/qwen3:8b', ['qwen3:8b'], ['embeddings']],
  )
  assert.ok(qwen?.endpoints[0]?.supportedParameters.includes('tools'))
  assert.deepEqual(qwen?.endpoints[0]?.prices, { prompt: '0', completion: '0' })
  assert.deepEqual(requests, ['/v1/models Bearer secret-of-local'])
  assert.deepEqual(
    report.skipped.map(({ reason }) => reason),
    ['a model that it lists has no usable "id"'],
  )
})

test('a listed model without a price is skipped and reported, unless declared free', async () => {
  const { url } = await modelServer(() => ({ data: [{ id: 'a' }, { id: 'b' }] }))
  const models = { 'local/b': { endpoints: { local: { prices: { prompt: 1, completion: 2 } } } } }
  const { data, report } = await loadCatalogue(
    settingsFor({ base_url: url }, models),
    new ModelDiscovery({ readVariable: variable }),
  )
  assert.deepEqual(
    data.models.map(({ id, endpoints }) => [id, endpoints[0]?.prices.prompt]),
    [['local/b', '0.000001']],
  )
  assert.deepEqual(
    report.skipped.map(({ row, reason }) => `${row}: ${reason}`),
    [
      'local/a@local: it lacks prices.prompt, prices.completion: set its prices here or at its provider, 0 if it is free',
    ],
  )
})

test('a list without an object around it is read', async () => {
  const { url } = await modelServer(() => [{ id: 'tiny' }])
  const discovery = new ModelDiscovery({ readVariable: variable })
  const { data } = await loadCatalogue(settingsFor({ base_url: url, ...free }), discovery)
  assert.deepEqual(
    data.models.map(({ id }) => id),
    ['local/tiny'],
  )
})

test('an invalid, long or late list is skipped with a reason', async () => {
  const responses: [unknown, RegExp][] = [
    ['<html>', /: its response is not JSON$/],
    [{ models: [] }, /: its response is not a list of at most 2000 models/],
    [{ data: Array.from({ length: 2001 }, (_, n) => ({ id: `m${n}` })) }, /not a list of at most 2000/],
    [`{"data":[${' '.repeat(4 * 1024 * 1024)}]}`, /over 4194304 bytes/],
    [undefined, /: it did not respond within 50 ms$/],
  ]
  for (const [response, says] of responses) {
    const { url } = await modelServer(() => response)
    const discovery = new ModelDiscovery({ readVariable: variable, timeoutMs: response === undefined ? 50 : 60_000 })
    const { report } = await loadCatalogue(settingsFor({ base_url: url, ...free }), discovery)
    assert.equal(report.models, 0)
    assert.match(report.skipped[0]?.reason ?? '', says)
    assert.equal(report.skipped.length, 1)
  }
})

test('a silent server does not delay the start, and its models appear when it answers', async () => {
  const gate: { open: boolean } = { open: false }
  const list = { data: [{ id: 'late' }] }
  const { url, close } = await modelServer(() => (gate.open ? list : undefined))
  const reports: string[][] = []
  const catalogue = await openCatalogue({
    settings: settingsFor({ base_url: url, ...free }),
    signals: createLocalSignals(),
    newId: () => 'this server',
    discovery: new ModelDiscovery({ readVariable: variable, timeoutMs: 1000 }),
    discoveryTimeoutMs: 0,
    onLoad: ({ skipped }) => reports.push(skipped.map(({ reason }) => reason)),
    onError: assert.ifError,
  })
  assert.equal(catalogue.current().models.length, 0)
  await until(() => reports.length > 0)
  assert.match(reports[0]![0]!, /did not respond within 1000 ms$/)
  gate.open = true
  await catalogue.reload()
  assert.equal(catalogue.current().findModel('late')?.id, 'local/late')
  close()
  const { skipped } = await catalogue.reload()
  assert.equal(catalogue.current().findModel('local/late')?.id, 'local/late')
  assert.match(skipped[0]?.reason ?? '', /could not be read: .*; its previous list stays in use$/)
  catalogue.close()
})

test('a server that was unreachable at the start is polled until it answers', async () => {
  const gate: { open: boolean } = { open: false }
  const { url, requests } = await modelServer(() => (gate.open ? { data: [{ id: 'late' }] } : 'not yet'))
  const reports: number[] = []
  const catalogue = await openCatalogue({
    settings: settingsFor({ base_url: url, ...free }),
    signals: createLocalSignals(),
    newId: () => 'this server',
    discovery: new ModelDiscovery({ readVariable: variable, timeoutMs: 60_000, retryMs: 1 }),
    discoveryTimeoutMs: 60_000,
    onLoad: ({ models }) => reports.push(models),
    onError: assert.ifError,
  })
  await until(() => requests.length > 3)
  assert.deepEqual(reports, [0])
  gate.open = true
  await until(() => catalogue.current().findModel('local/late') !== undefined)
  assert.deepEqual(reports, [0, 1])
  catalogue.close()
  assert.deepEqual(catalogue.report().skipped, [])
})

test('a server under a new address starts with an empty list', async () => {
  const before = await modelServer(() => ({ data: [{ id: 'old' }] }))
  const gate: { open: boolean } = { open: false }
  const next = await modelServer(() => (gate.open ? { data: [{ id: 'new' }] } : 'not yet'))
  const discovery = new ModelDiscovery({ readVariable: variable, timeoutMs: 60_000, retryMs: 1 })
  const listed = async (base_url: string) => {
    const { data, report } = await loadCatalogue(settingsFor({ base_url, ...free }), discovery)
    return [...data.models.map(({ id }) => id), ...report.skipped.map(({ reason }) => reason)]
  }
  assert.deepEqual(await listed(before.url), ['local/old'])
  assert.deepEqual(await listed(next.url), ['the models of this server could not be read: its response is not JSON'])
  const isBack = Promise.withResolvers<void>()
  const leave = discovery.onRecovered(isBack.resolve)
  gate.open = true
  await isBack.promise
  leave()
  assert.deepEqual(await listed(next.url), ['local/new'])
})
