import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newEmptyTestStore, onEachDatabase, type TestStore } from '../../harness/database/databases.ts'
import { type ServerProcess, startProcess } from '../../harness/service/server-process.ts'

/** Each start of several processes takes longer. `CRASH_ROUNDS=100` tests more than each run has time for. */
const requestCount = Number(process.env.CRASH_ROUNDS)
const roundsWith = { 1: requestCount || 3, 3: requestCount || 2 }
const managementKey = `sb-v1-${'a'.repeat(64)}`

/** The sent requests, and the acknowledged ones, over all lives of the server. */
type Memory = {
  keys: Map<string, { limit: number; acknowledged?: { hash: string; secret: string } }>
  guardrail: { id: string; acknowledged: number; requestCount: number }
  preset: { id: string; acknowledged: number; requestCount: number }
}

/** A client that detects, when the server dies, that it will get no response. */
function findClient(url: string) {
  return async function ask(method: string, path: string, body?: object, key = managementKey): Promise<any> {
    const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
    const response = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) })
    const responseBody = (await response.json()) as any
    assert.ok(response.ok, `${method} ${path}: ${JSON.stringify(responseBody)}`)
    return responseBody
  }
}
type Ask = ReturnType<typeof findClient>

async function everything(ask: Ask, path: string): Promise<any[]> {
  const items: any[] = []
  while (true) {
    const { data, total_count } = await ask(
      'GET',
      `${path}${path.includes('?') ? '&' : '?'}limit=100&offset=${items.length}`,
    )
    items.push(...data)
    if (items.length >= total_count) return items
  }
}

onEachDatabase('a server that is killed while it writes', (kind) => {
  for (const workers of [1, 3] as const) {
    const rounds = roundsWith[workers]
    test(`keeps acknowledged data and no partial data, ${rounds} times (${workers} workers)`, {
      timeout: 900_000,
    }, async () => {
      const testStore = await newEmptyTestStore(kind)
      const memory = await prepare(testStore)
      for (let round = 0; round < rounds; round++) {
        await using server = start(testStore, workers)
        const ask = findClient(await server.url)
        await assertWhole(ask, memory)
        await writeUntilKilled(server, ask, memory, Math.random() * 150)
      }
      await using server = start(testStore, workers)
      await assertWhole(findClient(await server.url), memory)
      assert.ok(
        memory.keys.size >= rounds && memory.guardrail.requestCount >= rounds && memory.preset.requestCount >= rounds,
      )
      await server[Symbol.asyncDispose]()
      await testStore.remove()
    })
  }
})

function start({ settings }: TestStore, workers = 1): ServerProcess {
  return startProcess({
    DATA_DIR: settings.data_dir,
    DATABASE_URL: settings.database_url,
    BOOTSTRAP_MANAGEMENT_KEY: managementKey,
    WORKERS: String(workers),
  })
}

async function prepare(testStore: TestStore): Promise<Memory> {
  await using server = start(testStore)
  const ask = findClient(await server.url)
  const guardrail = (await ask('POST', '/guardrails', patchNumber(0))).data
  const preset = (await ask('POST', '/presets/crash/responses', versionNumber(1))).data
  return {
    keys: new Map(),
    guardrail: { id: guardrail.id, acknowledged: 0, requestCount: 0 },
    preset: { id: preset.id, acknowledged: 1, requestCount: 1 },
  }
}

/** Every field names the number, so that a mixture of two would show. */
const patchNumber = (n: number) => ({ name: `number ${n}`, description: `number ${n}`, limit_usd: n + 1 })
const versionNumber = (n: number) => ({ instructions: `number ${n}`, model: 'signalbox/demo', max_output_tokens: n })

/** Each writer gets at least one response, however slow the machine; then the server is killed at any moment. */
async function writeUntilKilled(server: ServerProcess, ask: Ask, memory: Memory, afterMs: number): Promise<void> {
  const { keys, guardrail, preset } = memory
  let dead = false
  const repeat = async (write: () => Promise<void>, onSuccess: () => void) => {
    try {
      for (; ; onSuccess()) await write()
    } catch (error) {
      if (!dead) throw error
    }
  }
  const createKey = async () => {
    const [name, limit] = [`key ${keys.size}`, keys.size + 1]
    keys.set(name, { limit })
    const { data, key } = await ask('POST', '/keys', { name, limit })
    keys.set(name, { limit, acknowledged: { hash: data.hash, secret: key } })
  }
  const patchGuardrail = async () => {
    const n = ++guardrail.requestCount
    await ask('PATCH', `/guardrails/${guardrail.id}`, patchNumber(n))
    guardrail.acknowledged = n
  }
  const addVersion = async () => {
    const n = ++preset.requestCount
    await ask('POST', '/presets/crash/responses', versionNumber(n))
    preset.acknowledged = n
  }
  const kinds = [createKey, createKey, patchGuardrail, addVersion]
  const first = kinds.map(() => Promise.withResolvers<void>())
  const writers = kinds.map((write, at) => repeat(write, first[at]!.resolve))
  await Promise.race([Promise.all(first.map(({ promise }) => promise)), Promise.all(writers)])
  await sleep(afterMs)
  dead = true
  server.signal('SIGKILL')
  await Promise.all(writers)
  await server.ended
}

async function assertWhole(ask: Ask, memory: Memory): Promise<void> {
  await Promise.all([assertKeys(ask, memory), assertGuardrail(ask, memory), assertPreset(ask, memory)])
}

async function assertKeys(ask: Ask, { keys }: Memory): Promise<void> {
  const found = new Map<string, any>((await everything(ask, '/keys')).map((key) => [key.name, key]))
  for (const [name, { limit, acknowledged }] of keys) {
    const key = found.get(name)
    if (acknowledged) assert.equal(key?.hash, acknowledged.hash, `${name} was acknowledged and is lost`)
    if (key) assert.equal(key.limit, limit)
  }
  const recorded = (await everything(ask, '/audit?action=key.created')).map(({ target }) => target.id)
  const hashes = [...found.values()].map(({ hash }) => hash)
  assert.deepEqual(recorded.sort(), hashes.sort(), 'keys and their records differ')
  const last = [...keys.values()].findLast(({ acknowledged }) => acknowledged)?.acknowledged
  if (last) assert.equal((await ask('GET', '/key', undefined, last.secret)).data.hash, last.hash)
}

async function assertGuardrail(ask: Ask, { guardrail }: Memory): Promise<void> {
  // The spent amount is computed on reading, and does not belong to the change.
  const { spent_usd, unconfirmed_usd, resets_at, held_usd, forecast_usd, spenders, ...data } = (
    await ask('GET', `/guardrails/${guardrail.id}`)
  ).data
  const n = data.limit_usd - 1
  assert.deepEqual({ name: data.name, description: data.description, limit_usd: data.limit_usd }, patchNumber(n))
  assert.ok(n === guardrail.acknowledged || n === guardrail.requestCount, `${n} of ${JSON.stringify(guardrail)}`)
  const records = await everything(ask, `/audit?action=guardrail.updated&target_id=${guardrail.id}`)
  assert.deepEqual(records[0]?.after ?? data, data, 'the newest record describes another change')
  assert.equal(records.length, n, 'changes and their records differ')
  for (const { before, after } of records) assert.ok(after.limit_usd > before.limit_usd)
  guardrail.acknowledged = n
  guardrail.requestCount = n
}

async function assertPreset(ask: Ask, { preset }: Memory): Promise<void> {
  const versions = await everything(ask, '/presets/crash/versions')
  const numbers = versions.map(({ version }) => version).sort((a, b) => a - b)
  assert.deepEqual(
    numbers,
    Array.from(numbers, (_, index) => index + 1),
  )
  const latest = numbers.length
  assert.ok(latest === preset.acknowledged || latest === preset.requestCount, `${latest} of ${JSON.stringify(preset)}`)
  for (const { version, system_prompt: instructions, config } of versions) {
    assert.deepEqual({ instructions, ...config }, versionNumber(version))
  }
  const { data } = await ask('GET', '/presets/crash')
  assert.equal(data.designated_version.version, latest)
  const records = await everything(ask, `/audit?target_id=${preset.id}`)
  assert.equal(records.length, versions.length, 'versions and their records differ')
  preset.acknowledged = latest
  preset.requestCount = latest
}
