import pino from 'pino'
import { startService } from '#api/start.ts'
import { Settings } from '#config/settings.ts'
import { openDb } from '#db/open.ts'
import { newUuid } from '#lib/id.ts'
import { newPlace } from '#test/harness/databases.ts'
import type { Generation } from '#usage/generation.ts'
import { pruneGenerations } from '#usage/prune.ts'
import { writeGenerations } from '#usage/write.ts'
import { exitWithVerdict, median, report } from './figures.ts'

/** A million metered requests in the ledger: what they cost to write, to read and to prune. Exits 1 on a missed target. */
const requests = Number(process.env.REQUESTS ?? 1_000_000)
const managementKey = `sb-v1-${'a'.repeat(64)}`
const dayMs = 86_400_000
const now = Date.now()
const keys = Array.from({ length: 100 }, (_, at) => `${at}`.padStart(64, '0'))
const endpoints = [
  'signalbox/demo@signalbox',
  ...Array.from({ length: 40 }, (_, at) => `author/model-${at >> 1}@p${at & 1}`),
]

for (const kind of process.env.TEST_DATABASE_URL ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const)) {
  console.log(`\n${requests.toLocaleString('en')} metered requests, ${kind}\n`)
  const place = await newPlace(kind)
  try {
    const organizationId = await prepare(place.settings)
    await fill(place.settings, organizationId)
    await read(place.settings)
    await prune(place.settings)
  } finally {
    await place.remove()
  }
}
exitWithVerdict()

type Place = Awaited<ReturnType<typeof newPlace>>['settings']

function service(settings: Place) {
  const config = Settings.parse({ port: 0, bootstrap_management_key: managementKey, ...settings })
  const log = pino({ level: 'silent' })
  return startService({ config, log, now: Date.now, newId: newUuid, variable: () => undefined })
}

async function prepare(settings: Place): Promise<string> {
  await (await service(settings)).stop()
  const db = await openDb(settings)
  const { id } = await db.query.selectFrom('organizations').select('id').executeTakeFirstOrThrow()
  await db.close()
  return id
}

async function fill(settings: Place, organizationId: string): Promise<void> {
  const db = await openDb(settings)
  const started = performance.now()
  for (let at = 0; at < requests; at += 500) {
    await writeGenerations(
      { db },
      Array.from({ length: 500 }, (_, next) => generation(organizationId, at + next)),
    )
  }
  const perSecond = requests / ((performance.now() - started) / 1000)
  await db.close()
  report('requests written a second', perSecond.toFixed(0), { text: '>= 5,000', met: perSecond >= 5000 })
}

async function read(settings: Place): Promise<void> {
  const running = await service(settings)
  const time = async (path: string) => {
    const started = performance.now()
    const answer = await fetch(running.url + path, { headers: { authorization: `Bearer ${managementKey}` } })
    const bytes = (await answer.arrayBuffer()).byteLength
    if (answer.status !== 200 || bytes < 20) throw new Error(`${path}: ${answer.status}`)
    return performance.now() - started
  }
  const timed = async (path: string, boundMs: number) => {
    const times: number[] = []
    for (let round = 0; round < 15; round++) times.push(await time(path))
    const ms = median(times)
    report(`GET ${path}`, `${ms.toFixed(1)} ms`, { text: `<= ${boundMs} ms`, met: ms <= boundMs })
  }
  await timed('/activity', 100)
  await timed('/models/signalbox/demo/endpoints', 5)
  // The last one finds nothing, and looks at as many as a page may.
  const middle = new Date(now - 15 * dayMs).toISOString()
  for (const query of ['', `?to=${middle}`, `?api_key_hash=${keys[3]}`, '?session_id=s70', '?outcome=failed']) {
    await timed(`/generations${query}`, 20)
  }
  await timed('/generations?model=author/model-3&streamed=true', 20)
  await timed('/generations?min_cost=1000000', 20)
  await running.stop()
}

/** Half of all requests go, while somebody else asks for a row every few milliseconds. */
async function prune(settings: Place): Promise<void> {
  const db = await openDb(settings)
  const waits: number[] = []
  let pruning = true
  const asking = (async () => {
    while (pruning) {
      const started = performance.now()
      await db.query.selectFrom('workspaces').select('id').execute()
      waits.push(performance.now() - started)
      await new Promise((done) => setTimeout(done, 5))
    }
  })()
  const started = performance.now()
  const gone = await pruneGenerations({ db }, now - 15 * dayMs)
  const perSecond = gone / ((performance.now() - started) / 1000)
  pruning = false
  await asking
  await db.close()
  waits.sort((a, b) => a - b)
  report('requests pruned a second', `${perSecond.toFixed(0)} of ${gone}`)
  const wait = waits[Math.floor(waits.length * 0.99)] ?? 0
  report('wait of others meanwhile, p99', `${wait.toFixed(1)} ms`, { text: '<= 100 ms', met: wait <= 100 })
}

function generation(organizationId: string, at: number): Generation {
  const key = (at * 7) % keys.length
  const keyHash = keys[key]!
  // A key uses a handful of models.
  const endpointId = endpoints[(key + (at % 8)) % endpoints.length]!
  const [model = '', provider = ''] = endpointId.split('@')
  return {
    id: `gen-${newUuid()}`,
    requestId: newUuid(),
    caller: {
      organizationId,
      workspaceId: 'w',
      userId: 'u',
      keyHash,
      keyKind: 'api',
      keyName: 'k',
    } as Generation['caller'],
    sessionId: at % 10 === 0 ? `s${at % 10_000}` : undefined,
    protocol: 'openai-chat',
    streamed: at % 2 === 0,
    createdAt: now - Math.floor((at / requests) * 30 * dayMs),
    requestedModel: model,
    candidateModels: [model],
    preset: undefined,
    region: 'global',
    modelId: model,
    endpointId,
    provider,
    upstreamId: `chatcmpl-${newUuid()}`,
    upstreamModel: 'model',
    byok: false,
    tokens: { prompt: 1000 + (at % 500), completion: 200, cached: 0, cacheWritten: 0, reasoning: 0 },
    estimated: false,
    capped: false,
    margin: 0n,
    cost: BigInt(at) * 1_000_003n,
    finish: 'stop',
    nativeFinish: 'stop',
    toolCalls: 0,
    latencyMs: 300,
    durationMs: 2000,
    outcome: at % 1000 === 3 ? 'failed' : 'success',
    attempts: [{ endpointId, provider, outcome: 'answered', durationMs: 2000 }],
  }
}
