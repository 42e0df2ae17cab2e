import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { newTestStore } from '../../harness/database/databases.ts'
import { askForWords, startPriced } from '../../harness/service/load/priced-servers.ts'
import { timed } from '../../harness/until.ts'

const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'

test('a locked row does not block the end of a server, and the next one writes it', {
  skip,
}, async () => {
  const testStore = await newTestStore('postgres')
  await using stack = new AsyncDisposableStack()
  stack.defer(testStore.remove)
  const client = new pg.Client({ connectionString: testStore.settings.database_url })
  client.on('error', () => {})
  await client.connect()
  stack.defer(() => client.end())
  const requests = async () => {
    const { rows } = await client.query('select coalesce(sum(requests), 0)::int as n from usage_days')
    return rows[0].n as number
  }
  const untilMetered = async (expected: number) => {
    for (const deadline = Date.now() + 60_000; (await requests()) !== expected; await sleep(50)) {
      assert.ok(Date.now() < deadline, `${await requests()} of ${expected} are metered`)
    }
  }
  const [first] = await startPriced(testStore)
  stack.use(first!)
  assert.equal((await askForWords(await first!.url, 1)).status, 200)
  await untilMetered(1)
  await client.query('begin')
  await client.query('select * from usage_days for update')
  const url = await first!.url
  const responses = await Promise.all(Array.from({ length: 100 }, () => askForWords(url, 1)))
  assert.ok(responses.every(({ status }) => status === 200))
  first!.signal('SIGTERM')
  const { tookMs, allowedMs, result } = await timed(20_000, () => first!.ended)
  assert.equal(result, 0, first!.err())
  const folder = join(testStore.settings.data_dir, 'data', 'unwritten')
  console.log(`ended ${Math.round(tookMs)} ms after SIGTERM, with ${readdirSync(folder).length} file(s)`)
  assert.ok(tookMs < allowedMs, `${tookMs} ms`)
  await client.query('rollback')
  const [next] = await startPriced(testStore)
  stack.use(next!)
  await untilMetered(101)
  for (const deadline = Date.now() + 60_000; readdirSync(folder).length > 0; await sleep(50)) {
    assert.ok(Date.now() < deadline, 'the files are still there')
  }
  const { rows } = await client.query('select count(*)::int as n from generations')
  assert.deepEqual([rows[0].n, await requests()], [101, 101])
})

test('two servers that add to the same days in any order do not stop each other', { skip }, async () => {
  const testStore = await newTestStore('postgres')
  await using stack = new AsyncDisposableStack()
  stack.defer(testStore.remove)
  const servers = await startPriced(testStore, 2)
  for (const server of servers) stack.use(server)
  const urls = await Promise.all(servers.map((server) => server.url))
  const ask = (_: unknown, n: number) => askForWords(urls[n % 2]!, 1)
  const responses = await Promise.all(Array.from({ length: 200 }, ask))
  assert.ok(responses.every(({ status }) => status === 200))
  for (const server of servers) server.signal('SIGTERM')
  await Promise.all(servers.map((server) => server.ended))
  const client = new pg.Client({ connectionString: testStore.settings.database_url })
  await client.connect()
  const { rows } = await client.query('select sum(requests)::int as n from usage_days')
  await client.end()
  assert.equal(rows[0].n, 200)
})
