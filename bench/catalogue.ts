import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CatalogueData } from '#catalogue/index/model.ts'
import { compileSnapshot, type Snapshot } from '#catalogue/index/snapshot.ts'
import { findModels, listBytes, listTag } from '#catalogue/list/list.ts'
import { ModelQuery } from '#catalogue/list/query.ts'
import { loadCatalogue } from '#catalogue/sources/load.ts'
import { requestsPerSecond, roundTrips } from './load.ts'
import { exitWithVerdict, median, report } from './report.ts'
import { apiKey, prepareFolder, type Running, residentMegabytes, startBare, startService } from './servers.ts'

/** Measures `GET /models` beside node:http writing the same bytes. Exits with 1 if a target is missed. */
const question = {
  supported_parameters: 'tools,reasoning',
  input_modalities: 'image',
  context: '200000',
  max_price: '1',
  min_output_price: '0.5',
  sort: 'pricing-low-to-high',
}
const search = String(new URLSearchParams(question))

const fixture = prepareFolder()
try {
  console.log(`\nGET /models on ${fixture.isReal ? 'the real snapshot' : 'a synthetic snapshot'} of models.dev\n`)
  await (await startService(fixture)).stop()
  await measureStart()
  const service = await startService(fixture)
  for (const encoding of ['identity', 'gzip']) await measureWholeList(service, encoding)
  await measureQuestion(service)
  await service.stop()
  await measureGrowth()
} finally {
  fixture.remove()
}
exitWithVerdict()

async function measureStart(): Promise<void> {
  const starts: number[] = []
  const resident: number[] = []
  for (let round = 0; round < 5; round++) {
    const started = performance.now()
    const service = await startService(fixture)
    await (await fetch(`${service.url}/models`, { headers: authorization() })).arrayBuffer()
    starts.push(performance.now() - started)
    resident.push(residentMegabytes(service.pid) ?? 0)
    await service.stop()
  }
  const [start, memory] = [median(starts), median(resident)]
  report('start to first answer', `${start.toFixed(0)} ms`, { text: '<= 1000 ms', met: start <= 1000 })
  report('memory after the first answer', `${memory.toFixed(0)} MB`, { text: '<= 180 MB', met: memory <= 180 })
}

async function measureWholeList(service: Running, encoding: string): Promise<void> {
  const headers = { ...authorization(), 'accept-encoding': encoding }
  const target = { url: new URL(`${service.url}/models`), headers }
  const file = join(fixture.folder, `list.${encoding}`)
  writeFileSync(file, await bodyOf(target))
  const bare = await startBare(file, encoding)
  const yardstick = { url: new URL(bare.url), headers }
  const rates = { ours: [] as number[], bare: [] as number[] }
  for (let round = 0; round < 9; round++) {
    const ours = await requestsPerSecond(target, { connections: 8, ms: 1000 })
    const theirs = await requestsPerSecond(yardstick, { connections: 8, ms: 1000 })
    if (round > 0) rates.ours.push(ours) && rates.bare.push(theirs)
  }
  await bare.stop()
  const [ours, theirs] = [median(rates.ours), median(rates.bare)]
  const ratio = ours / theirs
  const figure = `${ratio.toFixed(3)} (${ours.toFixed(0)}/${theirs.toFixed(0)})`
  report(`whole list, ${encoding}: ratio to bare node:http`, figure, { text: '>= 0.85', met: ratio >= 0.85 })
}

/** Without a client that would decode it. */
async function bodyOf({ url, headers }: { url: URL; headers: Record<string, string> }): Promise<Buffer> {
  const { request } = await import('undici')
  const { body } = await request(url, { headers })
  return Buffer.from(await body.arrayBuffer())
}

async function measureQuestion(service: Running): Promise<void> {
  const target = { url: new URL(`${service.url}/models?${search}`), headers: authorization() }
  await roundTrips(target, 2000)
  const trip = median(await roundTrips(target, 2000)) * 1000
  report('five filters and a sort: round trip over loopback, p50', `${trip.toFixed(0)} µs`)
}

async function measureGrowth(): Promise<void> {
  const { data } = await loadCatalogue({
    starter_catalogue: true,
    models_dev_file: fixture.snapshot,
    data_dir: fixture.folder,
  })
  const time = (size?: number) => answerMicroseconds(compileSnapshot(size === undefined ? data : resized(data, size)))
  const real = time()
  const found = findModels(compileSnapshot(data), ModelQuery.parse(question), { nowMs: Date.now(), url: '' })
  report('models that pass the five filters', `${found.total} of ${data.models.length}`)
  const [small, large] = [time(2000), time(20_000)]
  const ofReal = `five filters and a sort: server time, p50, ${data.models.length} models`
  report(ofReal, `${real.toFixed(0)} µs`, { text: '<= 200 µs', met: real <= 200 })
  report('the same, 2,000 models', `${small.toFixed(0)} µs`, { text: '<= 200 µs', met: small <= 200 })
  report('the same, 20,000 models', `${large.toFixed(0)} µs`)
  const growth = large / small
  report('growth from 2,000 to 20,000 models', growth.toFixed(1), { text: '<= 10, linear', met: growth <= 10 })
}

/** From the parsed address to the bytes: reading the parameters, finding, naming and writing the answer. */
function answerMicroseconds(snapshot: Snapshot): number {
  const times: number[] = []
  for (let round = 0; round < 3000; round++) {
    const started = performance.now()
    const found = findModels(snapshot, ModelQuery.parse(question), { nowMs: Date.now(), url: `/models?${search}` })
    listTag(snapshot, found, 'json')
    listBytes(snapshot, found)
    times.push(performance.now() - started)
  }
  return median(times.slice(500)) * 1000
}

/** As many models as asked for, by leaving some out or by repeating them under other names. */
function resized({ models, providers }: CatalogueData, size: number): CatalogueData {
  const requested = Array.from({ length: size }, (_, at) => {
    const model = models[at % models.length]!
    return at < models.length
      ? model
      : { ...model, id: `${model.id}-${at}`, canonicalSlug: `${model.canonicalSlug}-${at}` }
  })
  return { models: requested, providers }
}

function authorization(): Record<string, string> {
  return { authorization: `Bearer ${apiKey}` }
}
