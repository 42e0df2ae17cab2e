import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loadCatalogue } from './load.ts'
import { cacheKey, cachePath, loadCached } from './load-cache.ts'

const scratch = mkdtempSync(join(tmpdir(), 'signalbox-remembered-'))
after(() => rmSync(scratch, { recursive: true, force: true }))

const fileWith = (context: number) => `
providers: { acme: { name: Acme, protocol: openai-chat } }
models:
  acme/one: { name: One, created: 2026-01-01, context_length: ${context}, endpoints: { acme: { model: one, prices: { prompt: 1, completion: 1 } } } }
`

const acme = {
  id: 'acme',
  name: 'Acme',
  npm: '@ai-sdk/openai-compatible',
  api: 'https://acme.example',
  env: ['ACME_KEY'],
}
const two = {
  id: 'acme-two',
  name: 'Two',
  release_date: '2026-02-01',
  modalities: { input: ['text'], output: ['text'] },
  limit: { context: 500, output: 100 },
  cost: { input: 1, output: 2 },
}

/** Several starts on one data folder, and the number of times that the sources were read. */
function starts() {
  const data_dir = mkdtempSync(join(scratch, 'data-'))
  const catalogue_file = join(data_dir, 'mine.yaml')
  writeFileSync(catalogue_file, fileWith(1000))
  let reads = 0
  const settings = { starter_catalogue: true, data_dir, catalogue_file }
  const start = (changed: object = {}) =>
    loadCached({ ...settings, ...changed }, (request) => {
      reads++
      return loadCatalogue(request)
    })
  const context = async () => (await start()).data.models.find(({ id }) => id === 'acme/one')?.contextLength
  return { settings, start, context, path: cachePath(settings), reads: () => reads }
}

test('the second start reads no source and has the identical catalogue', async () => {
  const { settings, start, reads } = starts()
  await start()
  const second = await start()
  assert.equal(reads(), 1)
  assert.equal(JSON.stringify(second), JSON.stringify(await loadCatalogue(settings)))
})

test('changed, new and omitted sources are read', async () => {
  const { settings, start, context, reads } = starts()
  await start()
  writeFileSync(settings.catalogue_file, fileWith(2000))
  assert.equal(await context(), 2000)
  writeFileSync(
    join(settings.data_dir, 'models.dev.json'),
    JSON.stringify({ acme: { ...acme, models: { 'acme-two': two } } }),
  )
  await start()
  assert.equal(reads(), 3)
  const { data } = await start({ starter_catalogue: false })
  assert.deepEqual([reads(), data.models.map(({ id }) => id)], [4, ['acme/acme-two', 'acme/one']])
})

/** All modules that a module imports by value, with their imports. */
function importedModules(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/^(?:import|\}) (?!type )[^;]*?'([#.][^']+)'/gm))
    importedModules(target.startsWith('#') ? join(src, target.slice(1)) : join(dirname(file), target), found)
  return found
}
const src = fileURLToPath(new URL('../../', import.meta.url))

test('the key contains every module on which the catalogue depends', () => {
  const modules = [...importedModules(join(src, 'catalogue/sources/load.ts'))]
  const key = cacheKey(starts().settings)
  assert.ok(modules.length > 20)
  // These only load packages, delay work, or word messages.
  const isNeutral = (file: string) => /\/platform\/(?:process|async|text)\//.test(file)
  assert.deepEqual(
    modules.filter((file) => !isNeutral(file) && !key.includes(JSON.stringify(file))),
    [],
  )
})

test('names in any script are restored from a file with one byte per character', async () => {
  const { settings, start, path, reads } = starts()
  writeFileSync(settings.catalogue_file, fileWith(1000).replaceAll('One', 'Zoë 語 😀'))
  await start()
  const { data } = await start()
  assert.deepEqual([reads(), data.models.find(({ id }) => id === 'acme/one')?.name], [1, 'Zoë 語 😀'])
  assert.ok(readFileSync(path).every((byte) => byte < 0x80))
})

test('a damaged or truncated cache is ignored', async () => {
  const { start, context, path, reads } = starts()
  await start()
  const whole = readFileSync(path, 'utf8')
  for (const broken of [
    whole.replace('"contextLength":1000', '"contextLength":9000'),
    whole.slice(0, -10),
    '',
    '\n\n',
  ]) {
    writeFileSync(path, broken)
    assert.equal(await context(), 1000)
  }
  assert.equal(reads(), 5)
})

test('a catalogue whose cache cannot be written is loaded', async () => {
  const { context, path } = starts()
  mkdirSync(join(path, 'in the way'), { recursive: true })
  assert.equal(await context(), 1000)
  assert.ok(!existsSync(`${path}.${process.pid}`))
})
