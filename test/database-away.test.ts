import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newPlace } from './harness/databases.ts'
import { startDetour } from './harness/detour.ts'
import { askForWords, limitAll, manage, startPriced } from './harness/priced-servers.ts'
import { until } from './harness/until.ts'

const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'

/** Longer than any request may be kept waiting for a database, on a machine that is busy with other things too. */
const patienceMs = 60_000

for (const trouble of ['stalled', 'cut'] as const) {
  test(`a database that is ${trouble}: requests are metered or refused, none hangs, and all is well after it`, {
    skip,
  }, async () => {
    const place = await newPlace('postgres')
    await using stack = new AsyncDisposableStack()
    stack.defer(place.remove)
    const detour = stack.use(await startDetour(place.settings.database_url!))
    const [server] = await startPriced(place, 1, detour.url)
    stack.use(server!)
    const url = await server!.url
    const id = await limitAll(url, { limit_usd: 5 })
    const statuses = new Set<number>()
    let spent = 0
    const ask = async () => {
      const told = await askForWords(url, 5)
      statuses.add(told.status)
      spent += told.cost
      return told
    }
    assert.equal((await ask()).status, 200)
    detour.turn(trouble)
    for (let round = 0; round < 3; round++) {
      const asked = Array.from({ length: 30 }, ask)
      const late = sleep(patienceMs, 'late', { ref: false })
      assert.notEqual(await Promise.race([Promise.all(asked), late]), 'late', 'a request hangs')
      await sleep(300)
    }
    detour.turn('open')
    await until(async () => (await ask()).status === 200)
    assert.deepEqual([...statuses].sort(), [200, 503])
    await until(async () => {
      const { data } = await manage(url, 'GET', `/guardrails/${id}`)
      return Math.abs(data.spent_usd - spent) < 1e-9
    })
  })
}
