import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { loadCatalogue } from './load.ts'
import { fetchModelsDev, storeModelsDevFile } from './sync.ts'

const scratch = mkdtempSync(join(tmpdir(), 'signalbox-sync-'))
after(() => rmSync(scratch, { recursive: true, force: true }))
const path = (name: string) => join(scratch, `${name}.json`)

function snapshotOf(release_date: string): string {
  const model = {
    id: 'grok-9',
    name: 'Grok 9',
    release_date,
    modalities: { input: ['text'], output: ['text'] },
    limit: { context: 1000, output: 100 },
    cost: { input: 3, output: 15 },
  }
  const xai = { id: 'xai', name: 'xAI', npm: '@ai-sdk/xai', env: ['XAI_API_KEY'], models: { 'grok-9': model } }
  return JSON.stringify({ xai })
}

test('a snapshot is replaced atomically and its counts are reported', async () => {
  const report = await storeModelsDevFile(snapshotOf('2026-01-02'), 'a test', path('one'))
  assert.deepEqual([report.models, report.endpoints, report.merged], [1, 1, 0])
  assert.equal(readFileSync(path('one'), 'utf8'), snapshotOf('2026-01-02'))
  assert.deepEqual(
    readdirSync(scratch)
      .filter((name) => name.startsWith('one'))
      .sort(),
    ['one.json', 'one.names.json'],
  )
})

test('an invalid snapshot does not replace the previous one', async () => {
  await storeModelsDevFile(snapshotOf('2026-01-02'), 'a test', path('two'))
  for (const text of ['{}', 'not JSON', '{"xai": {"models": {}}}'])
    await assert.rejects(storeModelsDevFile(text, 'a test', path('two')), {
      name: 'CatalogueError',
      message: /^a test /,
    })
  assert.equal(readFileSync(path('two'), 'utf8'), snapshotOf('2026-01-02'))
})

test('a model keeps its dated name when models.dev corrects the day', async () => {
  await storeModelsDevFile(snapshotOf('2026-01-02'), 'a test', path('three'))
  await storeModelsDevFile(snapshotOf('2026-01-09'), 'a test', path('three'))
  const settings = { starter_catalogue: false, data_dir: scratch, models_dev_file: path('three') }
  const [model] = (await loadCatalogue(settings)).data.models
  assert.equal(model?.canonicalSlug, 'x-ai/grok-9-2026-01-02')
  assert.equal(model?.created, Date.parse('2026-01-09') / 1000)
})

test('a snapshot is fetched, and a server without one is named with its response', async () => {
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/api.json' ? 200 : 404
    response.end(snapshotOf('2026-01-02'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  assert.equal(await fetchModelsDev(`${url}/api.json`), snapshotOf('2026-01-02'))
  await assert.rejects(fetchModelsDev(`${url}/other`), {
    message: `${url}/other cannot be read: the response was 404 Not Found.`,
  })
  server.close()
  await assert.rejects(fetchModelsDev(`${url}/api.json`), { name: 'CatalogueError', message: /cannot be read: / })
})
