import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openDb } from '#platform/db/open.ts'
import { startFaultyService } from '#test/harness/service/faulty-service.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { Seeded } from '#test/harness/service/world/seeded.ts'
import { earlyFaults, lateFaults, rateLimits, validResponses } from '#test/harness/upstream/faulty/faults.ts'
import { type FaultyUpstream, startFaultyUpstream } from '#test/harness/upstream/faulty/faulty-upstream.ts'
import { until } from '../../harness/until.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const requests = 5000
const atOnce = 64
const behaviours = {
  ...validResponses,
  ...rateLimits,
  ...Object.fromEntries(
    [...Object.entries(earlyFaults), ...Object.entries(lateFaults)].map(([name, { behaviour }]) => [name, behaviour]),
  ),
}
/** Ten megabytes a time would measure the loopback. */
const names = [
  ...Object.keys(behaviours).filter((name) => name !== 'big_event'),
  'refused',
  'mute',
  'ok',
  'ok',
  'ok',
  'ok',
]

test('five thousand faulty requests leak nothing, and are metered exactly once', async () => {
  await using upstream = await startFaultyUpstream(behaviours)
  // Circuits would keep most requests away from any fault: two minutes pass with every one.
  let now = Date.now()
  const timeouts = {
    connect_timeout_ms: 150,
    first_byte_timeout_ms: 150,
    whole_response_timeout_ms: 150,
    silence_timeout_ms: 150,
    keepalive_ms: 40,
  }
  await using service = await startFaultyService(upstream, Object.keys(behaviours), {
    now: () => now,
    settings: { ...timeouts, generation_retention_days: 3650 },
  })
  const chance = new Seeded(7)
  const random = () => chance.next()
  const answered = new Set<string>()
  let [made, left] = [0, 0]
  const work = async (until: number) => {
    while (made < until) {
      made++
      now += 120_000
      const id = await askOnce(service, random)
      if (id) answered.add(id)
      else left++
    }
  }
  const all = (until: number) => Promise.all(Array.from({ length: atOnce }, () => work(until)))

  await all(800)
  const before = await settled(upstream)
  await all(requests)
  let after = await settled(upstream)
  // The client closes kept-alive connections after 72 seconds without a request.
  const patientUntil = Date.now() + 180_000
  while (Object.keys(grown(before.resources, after.resources)).length > 0 && Date.now() < patientUntil)
    after = await settled(upstream)
  assert.ok(after.heap - before.heap < 15e6, `the heap grew from ${before.heap} to ${after.heap}`)
  assert.deepEqual(grown(before.resources, after.resources), {})

  await service.stop()
  // While the disk is slow, rows are stored in files. The next start writes the rest.
  const unwritten = join(service.testStore.settings.data_dir, 'unwritten')
  await using next = await startTestService({
    ...{ testStore: service.testStore, now: () => now, settings: { generation_retention_days: 3650 } },
  })
  await until(() => readdirSync(unwritten).length === 0)
  await next.stop()
  const db = await openDb(service.testStore.settings)
  const rows = await db.query.selectFrom('generations').select('id').execute()
  await db.close()
  const ids = new Set(rows.map(({ id }) => id))
  assert.deepEqual(
    [...answered].filter((id) => !ids.has(id)),
    [],
  )
  // A client can leave so early that its request never arrives.
  assert.ok(rows.length <= requests && rows.length >= requests - left, `${rows.length} rows, ${left} left`)
})

/** One request in ten is aborted by its client. */
async function askOnce({ url, apiKey }: TestService, random: () => number): Promise<string | undefined> {
  const model = `${random() < 0.5 ? 'faulty' : 'backed'}/${names[Math.floor(random() * names.length)]}`
  const body = { model, stream: random() < 0.7, messages: [{ role: 'user', content: 'Hi' }] }
  const leaves = random() < 0.1 ? AbortSignal.timeout(5 + Math.floor(random() * 100)) : null
  try {
    const response = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: leaves,
    })
    const id = response.headers.get('x-generation-id') ?? undefined
    await response.text()
    return id
  } catch (error) {
    if (!leaves?.aborted) throw error
    return undefined
  }
}

async function settled(upstream: FaultyUpstream) {
  // Kept-alive connections and disconnected clients need a moment.
  await sleep(1500)
  upstream.requests.length = 0
  for (let round = 0; round < 4; round++) {
    collectGarbage()
    await sleep(100)
  }
  return { heap: process.memoryUsage().heapUsed, resources: countOf(process.getActiveResourcesInfo()) }
}

const countOf = (names: string[]) =>
  Object.fromEntries(
    Map.groupBy(names, (name) => name)
      .entries()
      .map(([name, all]) => [name, all.length]),
  )

/** All resources that have increased. */
function grown(before: Record<string, number>, after: Record<string, number>): Record<string, string> {
  const more = Object.entries(after).filter(([name, count]) => count > (before[name] ?? 0) + 10)
  return Object.fromEntries(more.map(([name, count]) => [name, `${before[name] ?? 0} → ${count}`]))
}
