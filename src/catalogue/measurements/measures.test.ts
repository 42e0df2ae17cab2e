import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newUuid } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { busyMs } from '#test/harness/until.ts'
import { readEndpointHistory } from './endpoint-history.ts'
import type { Figures } from './figures.ts'
import type { Measurement } from './measurement.ts'
import { Measures } from './measures.ts'

const minute = 60_000
const hour = 60 * minute
/** The start of an hour. */
const start = Date.UTC(2026, 10, 21, 7)

const success: Measurement = {
  endpointId: 'a/m@p',
  modelId: 'a/m',
  outcome: 'success',
  firstTokenMs: 200,
  generationMs: 1000,
  promptTokens: 10,
  completionTokens: 50,
}

/** Measures with a separate clock, which exchange and refresh only when the test requests it. */
async function turned(db: Db, at = start) {
  const clock = { now: at }
  const measures = await Measures.start(
    { db, now: () => clock.now, newId: newUuid, historyDays: 30, onError: assert.ifError },
    { refreshMs: hour, exchangeMs: hour },
  )
  return {
    clock,
    figures: () => measures.figures(),
    onRefresh: (listener: (figures: Figures) => void) => measures.onRefresh(listener),
    refresh: () => measures.refresh(),
    exchange: () => measures.exchange(),
    close: () => measures.close(),
    record: (change: Partial<Measurement>, times = 1) => {
      for (let i = 0; i < times; i++) measures.record({ ...success, ...change })
    },
    async endpoint() {
      await measures.refresh()
      return measures.figures().endpoint('a/m@p')
    },
    async model() {
      await measures.refresh()
      return measures.figures().model('a/m')
    },
    [Symbol.asyncDispose]: () => measures.close(),
  }
}

onEachDatabase('measures', (kind) => {
  test('percentiles of latency and throughput are within 1 % of the exact ones', async () => {
    await using store = await newDb(kind)
    await using measures = await turned(store.db)
    for (let i = 1; i <= 1000; i++) measures.record({ firstTokenMs: i, generationMs: 1000, completionTokens: i })
    const { latencyMs, throughput } = await measures.endpoint()
    for (const [name, exact] of [
      ['p50', 500],
      ['p75', 750],
      ['p90', 900],
      ['p99', 990],
    ] as const) {
      assert.ok(Math.abs(latencyMs![name] - exact) <= exact * 0.012, `${name}: ${latencyMs![name]}`)
      assert.ok(Math.abs(throughput![name] - exact) <= exact * 0.012, `${name}: ${throughput![name]}`)
    }
  })

  test('four requests say too little about speed, five say enough', async () => {
    await using store = await newDb(kind)
    await using measures = await turned(store.db)
    measures.record({}, 4)
    assert.deepEqual([(await measures.endpoint()).latencyMs, (await measures.endpoint()).throughput], [null, null])
    measures.record({})
    assert.ok((await measures.endpoint()).latencyMs)
  })

  test('the fastest of five responses with a known speed limits charges, on every server', async () => {
    await using store = await newDb(kind)
    await using measures = await turned(store.db)
    measures.record({}, 5)
    for (const speed of [40, 60, 50, 10]) measures.record({ speed })
    assert.equal((await measures.endpoint()).fastest, null)
    measures.record({ speed: 20 })
    const isFastest = (fastest: number | null) => assert.ok(fastest && Math.abs(fastest - 60) < 0.7, `${fastest}`)
    isFastest((await measures.endpoint()).fastest)
    await measures.exchange()
    await using other = await turned(store.db)
    isFastest((await other.endpoint()).fastest)
  })

  test('uptime ignores rate limits of the upstream', async () => {
    await using store = await newDb(kind)
    await using measures = await turned(store.db)
    measures.record({ outcome: 'rate_limited' }, 50)

    assert.equal((await measures.endpoint()).uptime5m, null)
    measures.record({}, 2)
    measures.record({ outcome: 'upstream_error' })
    const { uptime5m, uptime30m, uptime1d } = await measures.endpoint()
    assert.deepEqual([uptime5m, uptime30m, uptime1d], [66.666, 66.666, 66.666])
  })

  test('each window drops older values, by the clock alone', async () => {
    await using store = await newDb(kind)
    await using measures = await turned(store.db)
    measures.record({}, 5)
    const seen = async (later: number) => {
      measures.clock.now = start + later
      const { uptime5m, uptime30m, uptime1d, latencyMs } = await measures.endpoint()
      return [uptime5m, uptime30m, latencyMs && 'fast', uptime1d, (await measures.model()).requests7d]
    }
    assert.deepEqual(await seen(5 * minute), [100, 100, 'fast', 100, 5])
    assert.deepEqual(await seen(6 * minute), [null, 100, 'fast', 100, 5])
    assert.deepEqual(await seen(30 * minute), [null, 100, 'fast', 100, 5])
    assert.deepEqual(await seen(31 * minute), [null, null, null, 100, 5])
    assert.deepEqual(await seen(24 * hour), [null, null, null, 100, 5])
    assert.deepEqual(await seen(25 * hour), [null, null, null, null, 5])
    assert.deepEqual(await seen(7 * 24 * hour), [null, null, null, null, 5])
    assert.deepEqual(await seen((7 * 24 + 1) * hour), [null, null, null, null, 0])
  })

  test('a model has its tokens and the share of requests that ended with tool calls', async () => {
    await using store = await newDb(kind)
    await using measures = await turned(store.db)
    measures.record({}, 3)
    measures.record({ calledTools: true })
    measures.record({ outcome: 'upstream_error', promptTokens: 7, completionTokens: undefined })
    assert.deepEqual(await measures.model(), { requests7d: 4, tokens7d: 4 * 60 + 7, toolSuccess: 0.25 })
  })

  test('without measurements all figures are null or 0', async () => {
    await using store = await newDb(kind)
    await using measures = await turned(store.db)
    assert.deepEqual(await measures.model(), { requests7d: 0, tokens7d: 0, toolSuccess: null })
    assert.deepEqual((await measures.endpoint()).uptime1d, null)
  })

  test('two servers on one database are added up, each once', async () => {
    await using store = await newDb(kind)
    await using one = await turned(store.db)
    await using two = await turned(store.db)
    one.record({ firstTokenMs: 100 }, 3)
    two.record({ firstTokenMs: 300 }, 3)
    two.record({ outcome: 'upstream_error', firstTokenMs: undefined }, 2)
    for (let round = 0; round < 3; round++) for (const server of [one, two]) await server.exchange()
    const [first, second] = [await one.endpoint(), await two.endpoint()]
    assert.deepEqual(first, second)
    assert.equal(first.uptime30m, 75)
    assert.equal((await one.model()).requests7d, 6)
    assert.ok(first.latencyMs!.p50 < 102 && first.latencyMs!.p99 > 297)
  })

  test('a later write of another server into the same minute is not lost', async () => {
    await using store = await newDb(kind)
    await using one = await turned(store.db)
    await using two = await turned(store.db)
    two.record({ outcome: 'upstream_error' })
    for (let round = 1; round <= 3; round++) {
      two.record({})
      await two.exchange()
      await one.exchange()
      assert.equal((await one.model()).requests7d, round)
      assert.equal(Math.round((await one.endpoint()).uptime1d!), Math.round((100 * round) / (round + 1)))
      assert.equal((await one.endpoint()).uptime30m, (await one.endpoint()).uptime1d)
    }
  })

  test('a clean restart loses nothing, and later measurements are added', async () => {
    await using store = await newDb(kind)
    const before = await turned(store.db)
    before.record({}, 5)
    await before.close()
    await using after = await turned(store.db, start + 10_000)
    assert.equal((await after.model()).requests7d, 5)
    after.record({}, 5)
    await after.exchange()
    await using third = await turned(store.db, start + 20_000)
    assert.equal((await third.model()).requests7d, 10)
    assert.ok((await third.endpoint()).latencyMs)
  })

  test('a crash loses only values after the last exchange', async () => {
    await using store = await newDb(kind)
    const crashed = await turned(store.db)
    crashed.record({}, 5)
    await crashed.exchange()
    crashed.record({}, 2)
    await using after = await turned(store.db, start + minute)
    assert.equal((await after.model()).requests7d, 5)
  })

  test('rows that no window reaches are deleted', async () => {
    await using store = await newDb(kind)
    await using measures = await turned(store.db)
    const rows = async () => {
      await measures.exchange()
      const tables = ['endpoint_minutes', 'endpoint_hours', 'model_hours'] as const
      return Promise.all(
        tables.map(async (table) => (await store.db.query.selectFrom(table).selectAll().execute()).length),
      )
    }
    measures.record({})
    assert.deepEqual(await rows(), [1, 1, 1])
    measures.clock.now = start + 40 * minute
    assert.deepEqual(await rows(), [0, 1, 1])
    measures.clock.now = start + 26 * hour
    assert.deepEqual(await rows(), [0, 0, 1])
    measures.clock.now = start + 8 * 24 * hour
    assert.deepEqual(await rows(), [0, 0, 0])
  })

  test('a listener is called for newer figures only', async () => {
    await using store = await newDb(kind)
    await using measures = await turned(store.db)
    const events: number[] = []
    measures.onRefresh((figures) => events.push(figures.model('a/m').tokens7d))
    await measures.refresh()
    measures.record({})
    await measures.refresh()
    await measures.refresh()
    assert.deepEqual(events, [60])
  })

  test('a listener is not called without measurements', async () => {
    await using store = await newDb(kind)
    await using measures = await turned(store.db)
    measures.onRefresh(() => assert.fail('there is nothing to hear of'))
    measures.clock.now += hour
    await measures.refresh()
  })
})

test('values of a failed write are written the next time', async () => {
  await using store = await newDb('sqlite')
  let broken = true
  const db = new Proxy(store.db, {
    get: (real, name) => {
      if (name === 'query' && broken) throw new Error('the database is away')
      return Reflect.get(real, name)
    },
  })
  broken = false
  await using measures = await turned(db)
  measures.record({ modelId: 'a/other' })
  broken = true
  await assert.rejects(measures.exchange(), /away/)
  measures.record({})
  broken = false
  await measures.exchange()
  await using other = await turned(store.db)
  assert.equal((await other.model()).requests7d, 1)
  assert.equal(other.figures().model('a/other').requests7d, 1)
})

test('invalid counts of an upstream are ignored', async () => {
  await using store = await newDb('sqlite')
  await using measures = await turned(store.db)
  measures.record({ promptTokens: Number.NaN, completionTokens: -5, firstTokenMs: Number.NaN, generationMs: 0 }, 5)
  const { latencyMs, throughput } = await measures.endpoint()
  assert.deepEqual([latencyMs, throughput, (await measures.model()).tokens7d], [null, null, 0])
})

test('recording takes a few microseconds at most', async () => {
  await using store = await newDb('sqlite')
  await using measures = await turned(store.db)
  const took = busyMs(() => {
    for (let i = 0; i < 100_000; i++) {
      measures.record({ endpointId: `a/${i % 200}@p`, modelId: `a/${i % 200}`, firstTokenMs: 50 + ((i * 37) % 4000) })
    }
  })
  const microseconds = (took * 1000) / 100_000
  assert.ok(microseconds < 20, `${microseconds} µs`)
})

onEachDatabase('the history of an endpoint', (kind) => {
  const ids = ['a/m@p']
  const hoursOf = (from: number) => ({ from, to: from + 48 * hour, granularity: 'hour' as const })

  test('has every measurement of all servers once, in its hour', async () => {
    await using store = await newDb(kind)
    await using one = await turned(store.db)
    await using other = await turned(store.db)
    one.record({ firstTokenMs: 100 }, 6)
    other.record({ firstTokenMs: 300 }, 4)
    other.record({ outcome: 'upstream_error' })
    await Promise.all([one.exchange(), other.exchange()])
    const first = await readEndpointHistory(store, ids, hoursOf(start))
    for (const at of [start + 40 * minute, start + hour, start + 3 * hour]) {
      one.clock.now = other.clock.now = at
      await Promise.all([one.exchange(), other.exchange()])
      assert.deepEqual(await readEndpointHistory(store, ids, hoursOf(start)), first)
    }
    const minutes = await store.db.query.selectFrom('endpoint_minutes').select('minute').execute()
    assert.deepEqual(minutes, [])
    const [point, ...others] = first.get('a/m@p')!
    assert.deepEqual([point?.start, point?.uptime, others], [start, 90.909, []])
    assert.ok(Math.abs(point!.latencyMs!.p50 - 100) < 1.1 && Math.abs(point!.latencyMs!.p99 - 300) < 3.1)
  })

  test('is returned by day and stored for the configured time', async () => {
    await using store = await newDb(kind)
    await using measures = await turned(store.db)
    for (const at of [start, start + 2 * hour, start + 24 * hour]) {
      measures.clock.now = at
      measures.record({}, 5)
      await measures.exchange()
    }
    const days = { from: start, to: start + 48 * hour, granularity: 'day' as const }
    const historyOf = async () =>
      (await readEndpointHistory(store, ids, days)).get('a/m@p')!.map((point) => point.start)
    assert.deepEqual(await historyOf(), [start - 7 * hour, start + 17 * hour])
    measures.clock.now = start + (30 * 24 + 12) * hour
    await measures.exchange()
    assert.deepEqual(await historyOf(), [start + 17 * hour])
  })
})
