import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createLocalSignals } from '#platform/db/signals.ts'
import { openCatalogue } from './catalogue-holder.ts'
import { CatalogueError, type Loaded } from './layer.ts'
import { loadCatalogue } from './load.ts'

const scratch = mkdtempSync(join(tmpdir(), 'signalbox-catalogue-'))
after(() => rmSync(scratch, { recursive: true, force: true }))

const fileWith = (context: number | string) => `
providers: { acme: { name: Acme, protocol: openai-chat } }
models:
  acme/one: { name: One, created: 2026-01-01, context_length: ${context}, endpoints: { acme: { model: one, prices: { prompt: 1, completion: 1 } } } }
`

/** A catalogue with one model, from a file that the test can change. */
async function openTestCatalogue(content = fileWith(1000), load = loadCatalogue) {
  const catalogue_file = join(scratch, `${performance.now()}.yaml`)
  writeFileSync(catalogue_file, content)
  const signals = createLocalSignals()
  const errors: string[] = []
  const loads: number[] = []
  const catalogue = await openCatalogue({
    settings: { starter_catalogue: false, data_dir: scratch, catalogue_file },
    signals,
    load,
    newId: () => 'this server',
    onLoad: ({ models }) => loads.push(models),
    onError: (error) => errors.push(error.message),
  })
  const context = () => catalogue.current().findModel('acme/one')?.contextLength
  return { catalogue, signals, errors, loads, context, write: (text: string) => writeFileSync(catalogue_file, text) }
}

test('a reload replaces the catalogue, and users of the old one keep it', async () => {
  const { catalogue, context, write } = await openTestCatalogue()
  const before = catalogue.current()
  write(fileWith(2000))
  const report = await catalogue.reload()
  assert.deepEqual([context(), before.findModel('acme/one')?.contextLength, report.models], [2000, 1000, 1])
})

test('an invalid file keeps the old catalogue and reports the reason', async () => {
  const { catalogue, context, write } = await openTestCatalogue()
  const report = catalogue.report()
  write('models: [')
  await assert.rejects(catalogue.reload(), {
    kind: 'conflict',
    message: /^The catalogue was not changed: .* is neither YAML nor JSON: line 1: /,
  })
  assert.deepEqual([context(), catalogue.report()], [1000, report])
})

test('a file that became invalid leaves all processes with the previous catalogue', async () => {
  let inForce: Loaded | undefined
  const { catalogue, context } = await openTestCatalogue(fileWith(1000), async (...sources) => {
    if (inForce) throw new CatalogueError('The file is bad.', { currentCatalogue: inForce })
    return loadCatalogue(...sources)
  })
  const catalogue_file = join(scratch, 'good.yaml')
  writeFileSync(catalogue_file, fileWith(2000))
  inForce = await loadCatalogue({ starter_catalogue: false, data_dir: scratch, catalogue_file })
  await assert.rejects(catalogue.reload(), /The catalogue was not changed: The file is bad/)
  assert.equal(context(), 2000)
})

test('a broken row is skipped and listed, and the rest is loaded', async () => {
  const { catalogue, write, context } = await openTestCatalogue()
  write(`${fileWith(3000)}  acme/two: { name: 7 }\n`)
  const { skipped } = await catalogue.reload()
  assert.deepEqual([context(), skipped.length, skipped[0]?.row], [3000, 1, 'acme/two'])
})

test('an invalid file prevents the start', async () => {
  await assert.rejects(openTestCatalogue('- no\n- catalogue\n'), {
    name: 'UserFacingError',
    message: /is not a catalogue file/,
  })
})

test("another server's notification reloads, this server's own does not", async () => {
  const { catalogue, signals, loads, context, write } = await openTestCatalogue()
  write(fileWith(4000))
  signals.deliver({ topic: 'catalogue.changed', payload: catalogue.notificationSenderId })
  assert.equal(loads.length, 1)
  signals.deliver({ topic: 'catalogue.changed', payload: 'another server' })
  await catalogue.reload()
  assert.deepEqual([loads.length, context()], [3, 4000])
})

test('a missed signal reloads; an invalid source is reported and changes nothing', async () => {
  const { catalogue, signals, errors, context, write } = await openTestCatalogue()
  write('models: 7')
  signals.reportMissed()
  await assert.rejects(catalogue.reload())
  assert.deepEqual([context(), errors.length], [1000, 1])
})

test('concurrent reloads run in sequence, so that the newest result remains', async () => {
  const reading: PromiseWithResolvers<void>[] = []
  const { catalogue } = await openTestCatalogue(fileWith(1000), async (settings) => {
    const ready = Promise.withResolvers<void>()
    if (reading.push(ready) > 1) await ready.promise
    return loadCatalogue(settings)
  })
  const both = Promise.all([catalogue.reload(), catalogue.reload()])
  await setImmediate()
  assert.equal(reading.length, 2)
  reading[1]!.resolve()
  while (reading.length < 3) await setImmediate()
  reading[2]!.resolve()
  await both
})

test('a closed catalogue ignores signals', async () => {
  const { catalogue, signals, loads } = await openTestCatalogue()
  catalogue.close()
  signals.deliver({ topic: 'catalogue.changed', payload: 'another server' })
  signals.reportMissed()
  await catalogue.reload()
  assert.equal(loads.length, 2)
})
