import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openDb } from '#platform/db/open.ts'
import { openLedger } from '#spend/metering/ledger.ts'
import { newDb, newTestStore, onEachDatabase, type TestStore } from '#test/harness/database/databases.ts'
import { noSpill } from '#test/harness/money/no-spill.ts'
import { generation } from '#test/harness/records/generations.ts'
import { startFaultyService } from '#test/harness/service/faulty-service.ts'
import { startProcess } from '#test/harness/service/server-process.ts'
import { startTestService } from '#test/harness/service/service.ts'
import { untilMetered } from '#test/harness/service/world/generation-record.ts'
import { timed, until } from '#test/harness/until.ts'
import {
  chunk,
  completeResponse,
  completion,
  deltaEvent,
  doneEvent,
  type FaultyBehaviour,
  head,
  lastChunk,
  roleDelta,
  startFaultyUpstream,
} from '#test/harness/upstream/faulty/faulty-upstream.ts'

const apiKey = `sb-v1-${'c'.repeat(64)}`
/** Often enough that every write of the ledger has some, and without occupying a core. */
const askEveryMs = 10
const body = JSON.stringify({ model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }] })

async function startServer(testStore: TestStore) {
  const { data_dir, database_url } = testStore.settings
  const server = startProcess({ DATA_DIR: data_dir, DATABASE_URL: database_url, BOOTSTRAP_API_KEY: apiKey })
  return { server, url: await server.url }
}

/**
 * Sends completions until it is stopped.
 * @returns the time of each response, by its id.
 */
function keepAsking(url: string) {
  const answered = new Map<string, number>()
  let stopped = false
  const asking = (async () => {
    while (!stopped) {
      const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
      const response = await fetch(`${url}/chat/completions`, { method: 'POST', headers, body }).catch(() => undefined)
      if (!response?.ok) return
      answered.set(response.headers.get('x-generation-id') ?? '', performance.now())
      await response.arrayBuffer().catch(() => {})
      await sleep(askEveryMs)
    }
  })()
  return {
    answered,
    stop: () => {
      stopped = true
      return asking
    },
  }
}

async function writtenIds(testStore: TestStore): Promise<string[]> {
  const db = await openDb(testStore.settings)
  const rows = await db.query.selectFrom('generations').select('id').execute()
  await db.close()
  return rows.map(({ id }) => id)
}

onEachDatabase('metered requests', (kind) => {
  test('is there after a crash, but for the last second', async () => {
    const testStore = await newTestStore(kind)
    const { server, url } = await startServer(testStore)
    const load = keepAsking(url)
    const { allowedMs } = await timed(1000, () => until(() => load.answered.size > 50))
    await sleep(allowedMs + 1000)
    const killedAt = performance.now()
    server.signal('SIGKILL')
    await Promise.all([server.ended, load.stop()])
    const written = new Set(await writtenIds(testStore))
    const earlier = [...load.answered].filter(([, at]) => at < killedAt - allowedMs)
    await testStore.remove()
    assert.ok(earlier.length > 50, `${earlier.length} were answered`)
    assert.deepEqual(
      earlier.filter(([id]) => !written.has(id)),
      [],
    )
  })

  test('is all there after a clean stop', async () => {
    const testStore = await newTestStore(kind)
    const { server, url } = await startServer(testStore)
    const load = keepAsking(url)
    await sleep(1000)
    await load.stop()
    server.signal('SIGTERM')
    await server.ended
    const written = await writtenIds(testStore)
    await testStore.remove()
    assert.deepEqual(new Set(written), new Set(load.answered.keys()))
  })

  test('is written however odd the text that a client or a provider sent along', async () => {
    await using service = await startTestService({ kind })
    const messages = [{ role: 'user', content: 'Hi' }]
    for (const odd of ['x\0', 'x\ud800']) {
      const named = { model: odd, models: ['signalbox/demo'], provider: { only: ['openai'] } }
      assert.equal((await service.ask('POST', '/chat/completions', { body: { ...named, messages } })).status, 404)
    }
    const { headers } = await service.ask('POST', '/chat/completions', { body: JSON.parse(body) })
    assert.ok(await untilMetered(service, headers.get('x-generation-id')))
  })

  test('waits for an unreachable database up to a limit, then requests are refused', async () => {
    await using store = await newDb(kind)
    let isUnreachable = true
    const flaky = {
      ...store.db,
      get query() {
        if (isUnreachable) throw new Error('gone')
        return store.db.query
      },
    }
    const ledger = openLedger(
      { db: flaky, spill: noSpill, onError: () => {}, onRejected: () => {}, onLost: () => {} },
      { everyMs: 10, maxQueuedRows: 3 },
    )
    for (let count = 0; count < 3; count++) ledger.record(generation())
    await sleep(50)
    assert.deepEqual([ledger.hasRoom(), ledger.waitingCount], [false, 3])
    isUnreachable = false
    await ledger.flush()
    assert.deepEqual([ledger.hasRoom(), ledger.waitingCount], [true, 0])
    await ledger.close()
  })
})

/** Whole and streamed responses whose upstream reports this usage. */
const respondsWith = (result: object): Record<'whole' | 'streamed', FaultyBehaviour> => ({
  whole: ({ socket }) => void socket.write(completeResponse(200, completion('Hello there', { usage: result }))),
  streamed({ socket }) {
    const last = `data: ${JSON.stringify({ id: 'x', choices: [], usage: result })}\n\n`
    const events = [roleDelta, deltaEvent({ content: 'Hello there' }), deltaEvent({}, 'stop'), last, doneEvent].join('')
    socket.write(Buffer.concat([Buffer.from(head()), chunk(events), Buffer.from(lastChunk)]))
  },
})

const oddUsages = [
  { prompt_tokens: 1.5, completion_tokens: 1 },
  { prompt_tokens: 1, completion_tokens: {} },
  { prompt_tokens: 1_000_000_000_000, completion_tokens: 1 },
  { prompt_tokens: 1e300, completion_tokens: 1 },
  { prompt_tokens: -100_000, completion_tokens: -100_000 },
]

onEachDatabase('a provider’s count that makes no sense', (kind) => {
  test('do not fail when the write fails: they are estimated', async () => {
    const behaviours = oddUsages.flatMap((result, at) =>
      Object.entries(respondsWith(result)).map(([how, behaviour]) => [`${how}${at}`, behaviour] as const),
    )
    await using upstream = await startFaultyUpstream(Object.fromEntries(behaviours))
    const names = behaviours.map(([name]) => name)
    await using service = await startFaultyService(upstream, names, { kind })
    const { body: created } = await service.manage('POST', '/keys', { name: 'limited', limit: 1 })
    for (const name of names) {
      const request = { model: `faulty/${name}`, stream: name.startsWith('streamed'), max_tokens: 10 }
      const messages = [{ role: 'user', content: 'Hi' }]
      const response = await service.ask('POST', '/chat/completions', {
        key: created.key,
        body: { ...request, messages },
      })
      assert.equal(response.status, 200, `${name}: ${response.text}`)
      assert.match(response.text, /Hello there/)
      const id = response.headers.get('x-generation-id') ?? ''
      const data = await untilMetered(service, id)
      assert.deepEqual([data.tokens_estimated, data.tokens_prompt, data.tokens_completion], [true, 1, 3], name)
    }
    // Limits are charged the upper bound, which a server reports soon after the ledger has it.
    await until(async () => {
      const { data } = (await service.ask('GET', '/key', { key: created.key })).body
      return data.usage === 0.00031 && data.limit_remaining === 0.988445
    })
    assert.equal((await service.manage('GET', '/activity')).status, 200)
  })
})

const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'

test('requests are refused while Postgres is unavailable, and served after it', {
  skip,
}, async () => {
  await using service = await startTestService({ kind: 'postgres' })
  const ask = () => service.ask('POST', '/chat/completions', { body: JSON.parse(body) })
  const before = await ask()
  await setReachable(service.testStore, false)
  await sleep(1500)
  const refused = await ask()
  await setReachable(service.testStore, true)
  const after = await until(async () => {
    const response = await ask()
    return response.status === 200 && response
  })
  assert.deepEqual([before.status, refused.status, after.status], [200, 503, 200])
  for (const { headers } of [before, after]) assert.ok(await untilMetered(service, headers.get('x-generation-id')))
})

async function setReachable({ settings }: TestStore, reachable: boolean): Promise<void> {
  const name = new URL(settings.database_url!).pathname.slice(1)
  const admin = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL })
  await admin.connect()
  await admin.query(`alter database ${name} with allow_connections ${reachable}`)
  if (!reachable) await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  await admin.end()
}
