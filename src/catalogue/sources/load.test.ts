import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { loadCatalogue } from './load.ts'

const data_dir = mkdtempSync(join(tmpdir(), 'signalbox-load-'))
after(() => rmSync(data_dir, { recursive: true, force: true }))

const cost = { input: 1, output: 2 }
const limit = { context: 500, output: 100 }
const modalities = { input: ['text'], output: ['text'] }
const entry = { id: 'gpt-5', name: 'GPT-5', release_date: '2025-08-07', modalities, limit, cost }
const openai = {
  id: 'openai',
  name: 'OpenAI',
  npm: '@ai-sdk/openai',
  env: ['OPENAI_API_KEY'],
  models: { 'gpt-5': entry },
}

function writeSnapshot(name: string, providers: object): string {
  const path = join(data_dir, name)
  writeFileSync(path, JSON.stringify(providers))
  return path
}

test('the starter catalogue has no skipped row, and its offline model no credential', async () => {
  const { data, report } = await loadCatalogue({ starter_catalogue: true, data_dir })
  assert.deepEqual(report.skipped, [])
  assert.ok(report.models >= 50 && report.providers >= 12, JSON.stringify(report))
  const demo = data.models.find(({ id }) => id === 'signalbox/demo')
  assert.deepEqual([demo?.contextLength, demo?.endpoints[0]?.prices], [128000, { prompt: '0', completion: '0' }])
  assert.deepEqual(
    data.providers.find(({ slug }) => slug === 'signalbox'),
    {
      slug: 'signalbox',
      name: 'Signalbox',
      protocol: 'demo',
      baseUrl: null,
      credentialVariables: [],
      privacyPolicyUrl: null,
      termsOfServiceUrl: null,
      statusPageUrl: null,
    },
  )
})

test('later sources override earlier ones: starter, models.dev, own file', async () => {
  const models_dev_file = writeSnapshot('new.json', { openai })
  const catalogue_file = join(data_dir, 'mine.yaml')
  writeFileSync(catalogue_file, 'models: { openai/gpt-5: { endpoints: { openai: { prices: { completion: 7 } } } } }')
  const { data, report } = await loadCatalogue({ starter_catalogue: true, models_dev_file, catalogue_file, data_dir })
  const model = data.models.find(({ id }) => id === 'openai/gpt-5')
  assert.deepEqual([model?.contextLength, model?.canonicalSlug], [500, 'openai/gpt-5-2025-08-07'])
  const { prompt, completion } = model!.endpoints[0]!.prices
  assert.deepEqual([prompt, completion], ['0.000001', '0.000007'])
  assert.deepEqual(report.sources, ['starter.json', models_dev_file, catalogue_file])
})

test('a snapshot in the data folder is read without a setting, and is optional', async () => {
  const settings = { starter_catalogue: false, data_dir }
  assert.equal((await loadCatalogue(settings)).report.models, 0)
  const path = writeSnapshot('models.dev.json', { openai })
  assert.equal((await loadCatalogue(settings)).report.models, 1)
  rmSync(path)
})

test('invalid entries of a snapshot are reported, and the others are read', async () => {
  const broken = {
    free: { ...entry, id: 'free', cost: undefined },
    odd: { ...entry, id: 'odd', release_date: '2025-13-01' },
    negative: { ...entry, id: 'negative', cost: { input: -1, output: 0 } },
    list: [],
  }
  const models_dev_file = writeSnapshot('broken.json', {
    openai: { ...openai, models: { ...openai.models, ...broken } },
    nameless: { ...openai, id: 'nameless', name: 7 },
  })
  const { report } = await loadCatalogue({ starter_catalogue: false, models_dev_file, data_dir })
  assert.equal(report.models, 1)
  assert.deepEqual(
    report.skipped.map(({ row, reason }) => `${row}: ${reason}`),
    [
      'openai/free: it has no price, so its cost could not be metered',
      'openai/odd: release_date: expected YYYY-MM-DD or YYYY-MM',
      'openai/negative: cost.input: expected a number, 0 or more',
      'openai/list: expected an object',
      'nameless: name: expected a text',
    ],
  )
})

test('a named file that is missing or no snapshot is refused', async () => {
  const settings = { starter_catalogue: false, data_dir }
  const refused = (models_dev_file: string, message: RegExp) =>
    assert.rejects(loadCatalogue({ ...settings, models_dev_file }), { name: 'CatalogueError', message })
  await refused(
    join(data_dir, 'nowhere.json'),
    /^\/.*nowhere\.json \(setting models_dev_file\) cannot be read: it does not exist\.$/,
  )
  await refused(writeSnapshot('list.json', [1]), /list\.json does not have the form of models\.dev/)
  await assert.rejects(
    loadCatalogue({ ...settings, catalogue_file: 'nowhere.yaml' }),
    /^CatalogueError: \/.*\/nowhere\.yaml \(setting catalogue_file\) cannot be read: it does not exist\.$/,
  )
  const text = join(data_dir, 'text.json')
  writeFileSync(text, '{"openai": ')
  await refused(text, /text\.json is not JSON: /)
})
