import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startOwnPostgres } from '#test/harness/database/own-postgres.ts'
import {
  apiKey,
  askForWords,
  limitAll,
  manage,
  managementKey,
  pricedCatalogue,
} from '#test/harness/service/load/priced-servers.ts'
import { type ServerProcess, startProcess } from '#test/harness/service/server-process.ts'
import { until } from '#test/harness/until.ts'
import { oldVersion, startVersion } from './old-version.ts'

const { folder, skip } = oldVersion()

type Versions = { start: (name: string, isOld: boolean) => Promise<{ url: string; server: ServerProcess }> }

/** Servers of both versions on one Postgres, each with its data folder. */
async function startVersions(stack: AsyncDisposableStack): Promise<Versions> {
  const place = mkdtempSync(join(tmpdir(), 'signalbox-versions-'))
  stack.defer(() => rmSync(place, { recursive: true, force: true }))
  const postgres = stack.use(await startOwnPostgres())
  const keyFile = join(place, 'encryption.key')
  writeFileSync(keyFile, randomBytes(32).toString('hex'), { mode: 0o600 })
  const env = {
    DATABASE_URL: postgres.url,
    ENCRYPTION_KEY_FILE: keyFile,
    CATALOGUE_FILE: pricedCatalogue(place),
    BOOTSTRAP_MANAGEMENT_KEY: managementKey,
    BOOTSTRAP_API_KEY: apiKey,
    DRAIN_MS: '1000',
    SHUTDOWN_GRACE_MS: '60000',
  }
  return {
    async start(name, isOld) {
      const own = { ...env, DATA_DIR: join(place, name) }
      const server = stack.use(isOld ? startVersion(folder, own) : startProcess(own))
      return { url: await server.url, server }
    },
  }
}

/** Requests one after the other, until it is stopped. @returns what the responses cost, and how many failed. */
function startClient(url: string) {
  const seen = { usd: 0, requests: 0, failed: 0 }
  let isStopped = false
  const running = (async () => {
    while (!isStopped) {
      const { status, cost } = await askForWords(url, 3, 3, seen.requests % 3 === 0)
      if (status !== 200) seen.failed++
      else seen.requests++
      seen.usd += cost
      await sleep(20)
    }
  })()
  return async () => {
    isStopped = true
    await running
    return seen
  }
}

async function activityOf(url: string): Promise<{ usd: number; requests: number }> {
  const rows: { usage: number; requests: number }[] = (await manage(url, 'GET', '/activity')).data ?? []
  const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0)
  return {
    usd: Number(sum(rows.map(({ usage }) => usage)).toFixed(6)),
    requests: sum(rows.map(({ requests }) => requests)),
  }
}

test('old and new servers on one database: sums agree, and limits and revocations hold', { skip }, async () => {
  await using stack = new AsyncDisposableStack()
  const { start } = await startVersions(stack)
  const [old, other] = [await start('old', true), await start('other', true)]
  const clients = [startClient(old.url)]
  await sleep(3000)
  const today = await start('today', false)
  clients.push(startClient(today.url))
  await sleep(10_000)
  const stopLeaving = startClient(other.url)
  await sleep(3000)
  const leaving = await stopLeaving()
  other.server.signal('SIGTERM')
  assert.equal(await other.server.ended, 0)
  const ended = [leaving, ...(await Promise.all(clients.map((stop) => stop())))]
  const usd = Number(ended.reduce((sum, one) => sum + one.usd, 0).toFixed(6))
  const requests = ended.reduce((sum, one) => sum + one.requests, 0)
  assert.deepEqual([ended.map(({ failed }) => failed), usd], [[0, 0, 0], Number((requests * 0.003).toFixed(6))])
  for (const { url } of [old, today])
    await until(
      async () => (await activityOf(url)).requests === requests,
      undefined,
      () => url,
    )
  assert.deepEqual([await activityOf(old.url), await activityOf(today.url)], Array(2).fill({ usd, requests }))
  console.log(`${requests} requests, ${usd} USD: the same in /activity of both versions`)

  const { key, data } = await manage(today.url, 'POST', '/keys', { name: 'short-lived' })
  assert.equal((await askForWords(old.url, 1, 1, false, key)).status, 200)
  await manage(today.url, 'DELETE', `/keys/${data.hash}`)
  await until(async () => (await askForWords(old.url, 1, 1, false, key)).status === 401)
})

/** Spends with a key on both servers at once until they refuse. @returns the sum. */
async function spendOn(urls: string[], key = apiKey): Promise<number> {
  const spend = async (url: string) => {
    let spent = 0
    for (let refused = 0; refused < 5; ) {
      const { status, cost } = await askForWords(url, 5, 5, false, key)
      if (status === 200) spent += cost
      else refused++
    }
    return spent
  }
  const spent = await Promise.all(urls.map(spend))
  console.log(`the old version spent ${spent[0]!.toFixed(3)} USD, the new one ${spent[1]!.toFixed(3)}`)
  return spent.reduce((sum, one) => sum + one, 0)
}

/** A key whose guardrail has a limit. */
async function newLimitedKey(url: string, limit_usd: number): Promise<string> {
  const { key, data } = await manage(url, 'POST', '/keys', { name: 'limited' })
  const guardrail = await manage(url, 'POST', '/guardrails', { name: `of ${data.hash.slice(0, 8)}`, limit_usd })
  await manage(url, 'POST', `/guardrails/${guardrail.data.id}/assignments/keys`, { key_hashes: [data.hash] })
  return key
}

test('old and new servers together never exceed a limit', { skip }, async () => {
  await using stack = new AsyncDisposableStack()
  const { start } = await startVersions(stack)
  const old = await start('old', true)
  const before = await newLimitedKey(old.url, 0.3)
  assert.equal((await askForWords(old.url, 100, 100, false, before)).status, 200)
  const today = await start('today', false)
  const during = await newLimitedKey(today.url, 0.3)
  const urls = [old.url, today.url]
  const ofFirst = 0.1 + (await spendOn(urls, before))
  const ofSecond = await spendOn(urls, during)
  // A new limit counts earlier spending of other servers as soon as it is in the ledger.
  await until(async () => (await activityOf(today.url)).usd >= ofFirst + ofSecond - 1e-6)
  await limitAll(today.url, { limit_usd: 1 })
  const ofAll = ofFirst + ofSecond + (await spendOn(urls))
  assert.ok(ofFirst <= 0.3 + 1e-9 && ofSecond <= 0.3 + 1e-9 && ofAll <= 1 + 1e-9, `${[ofFirst, ofSecond, ofAll]}`)
  await limitAll(today.url, { limit_usd: null })

  old.server.signal('SIGTERM')
  assert.equal(await old.server.ended, 0)
  await until(() => today.server.err().includes('the last server of an older version has stopped'))
  for (const key of [before, during]) assert.notEqual((await askForWords(today.url, 100, 100, false, key)).status, 200)
})

test('an old server that starts beside a new one names the newer schema and ends', { skip }, async () => {
  await using stack = new AsyncDisposableStack()
  const { start } = await startVersions(stack)
  const old = await start('old', true)
  await start('today', false)
  assert.equal((await askForWords(old.url, 1)).status, 200)
  old.server.signal('SIGTERM')
  assert.equal(await old.server.ended, 0)
  await assert.rejects(
    start('old', true),
    /written by a newer version of Signalbox \(it has the migration 0091_schema_range\)/,
  )
})
