import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CatalogueData } from '#catalogue/index/model.ts'
import { compileSnapshot, type Snapshot } from '#catalogue/index/snapshot.ts'
import { computeListTag, findModels, serializeList } from '#catalogue/list/model-list.ts'
import { ModelQuery } from '#catalogue/list/model-query.ts'
import { loadCatalogue } from '#catalogue/sources/load.ts'
import { requestsPerSecond, roundTrips } from './load.ts'
import { exitWithVerdict, median, report } from './report.ts'
import { apiKey, prepareFolder, type RunningServer, residentMegabytes, startBare, startService } from './servers.ts'

// Measures `GET /models` against a node:http server that writes the same bytes. Exits with 1 if a target is missed.
const modelFilters = {
  supported_parameters: 'tools,reasoning',
  input_modalities: 'image',
  context: '200000',
  max_price: '1',
  min_output_price: '0.5',
  sort: 'pricing-low-to-high',
}
const filterQuery = String(new URLSearchParams(modelFilters))

const fixture = prepareFolder()
try {
  console.log(`\nGET /models on ${fixture.isReal ? 'the real snapshot' : 'a synthetic snapshot'} of models.dev\n`)
  await (await startService(fixture)).stop()
  await measureStart()
  const service = await startService(fixture)
  for (const encoding of ['identity', 'gzip']) await measureWholeList(service, encoding)
  await measureFilteredList(service)
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
    const startedAt = performance.now()
    const service = await startService(fixture)
    await (await fetch(`${service.url}/models`, { headers: authorization() })).arrayBuffer()
    starts.push(performance.now() - startedAt)
    resident.push(residentMegabytes(service.pid) ?? 0)
    await service.stop()
  }
  const start = median(starts)
  const memory = median(resident)
  report('start to first response', `${start.toFixed(0)} ms`, { text: '<= 1000 ms', isMet: start <= 1000 })
  report('memory after the first response', `${memory.toFixed(0)} MB`, { text: '<= 180 MB', isMet: memory <= 180 })
}

async function measureWholeList(service: RunningServer, encoding: string): Promise<void> {
  const headers = { ...authorization(), 'accept-encoding': encoding }
  const target = { url: new URL(`${service.url}/models`), headers }
  const file = join(fixture.folder, `list.${encoding}`)
  writeFileSync(file, await readEncodedBody(target))
  const bare = await startBare(file, encoding)
  const bareTarget = { url: new URL(bare.url), headers }
  const rates = { service: [] as number[], bare: [] as number[] }
  for (let round = 0; round < 9; round++) {
    const serviceRate = await requestsPerSecond(target, { connections: 8, ms: 1000 })
    const bareRate = await requestsPerSecond(bareTarget, { connections: 8, ms: 1000 })
    // The first round warms up.
    if (round === 0) continue
    rates.service.push(serviceRate)
    rates.bare.push(bareRate)
  }
  await bare.stop()
  const serviceMedian = median(rates.service)
  const bareMedian = median(rates.bare)
  const ratio = serviceMedian / bareMedian
  const figure = `${ratio.toFixed(3)} (${serviceMedian.toFixed(0)}/${bareMedian.toFixed(0)})`
  report(`whole list, ${encoding}: ratio to bare node:http`, figure, { text: '>= 0.85', isMet: ratio >= 0.85 })
}

/** Reads the bytes as they are sent. `fetch` would decode them. */
async function readEncodedBody({ url, headers }: { url: URL; headers: Record<string, string> }): Promise<Buffer> {
  const { request } = await import('undici')
  const { body } = await request(url, { headers })
  return Buffer.from(await body.arrayBuffer())
}

async function measureFilteredList(service: RunningServer): Promise<void> {
  const target = { url: new URL(`${service.url}/models?${filterQuery}`), headers: authorization() }
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
  const timeResponse = (size?: number) =>
    responseMicroseconds(compileSnapshot(size === undefined ? data : withModelCount(data, size)))
  const real = timeResponse()
  const found = findModels(compileSnapshot(data), ModelQuery.parse(modelFilters), { nowMs: Date.now(), url: '' })
  report('models that pass the five filters', `${found.total} of ${data.models.length}`)
  const small = timeResponse(2000)
  const large = timeResponse(20_000)
  const label = `five filters and a sort: server time, p50, ${data.models.length} models`
  report(label, `${real.toFixed(0)} µs`, { text: '<= 200 µs', isMet: real <= 200 })
  report('the same, 2,000 models', `${small.toFixed(0)} µs`, { text: '<= 200 µs', isMet: small <= 200 })
  report('the same, 20,000 models', `${large.toFixed(0)} µs`)
  const growth = large / small
  report('growth from 2,000 to 20,000 models', growth.toFixed(1), { text: '<= 10, linear', isMet: growth <= 10 })
}

/** The median time to parse the query, find the models, and create the tag and the bytes of the response. */
function responseMicroseconds(snapshot: Snapshot): number {
  const times: number[] = []
  for (let round = 0; round < 3000; round++) {
    const startedAt = performance.now()
    const found = findModels(snapshot, ModelQuery.parse(modelFilters), {
      nowMs: Date.now(),
      url: `/models?${filterQuery}`,
    })
    computeListTag(snapshot, found, 'json')
    serializeList(snapshot, found)
    times.push(performance.now() - startedAt)
  }
  return median(times.slice(500)) * 1000
}

/** Returns a catalogue of `size` models: the first ones, or copies with other ids in addition. */
function withModelCount({ models, providers }: CatalogueData, size: number): CatalogueData {
  const requested = Array.from({ length: size }, (_, i) => {
    const model = models[i % models.length]!
    return i < models.length
      ? model
      : { ...model, id: `${model.id}-${i}`, canonicalSlug: `${model.canonicalSlug}-${i}` }
  })
  return { models: requested, providers }
}

function authorization(): Record<string, string> {
  return { authorization: `Bearer ${apiKey}` }
}
