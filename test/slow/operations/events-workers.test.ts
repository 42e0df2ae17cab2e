import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newTestStore, onOneDatabase } from '../../harness/database/databases.ts'
import { type EventListener, listen } from '../../harness/service/events.ts'
import { apiKey, managementKey, startPriced } from '../../harness/service/load/priced-servers.ts'
import { startTestService } from '../../harness/service/service.ts'
import { until } from '../../harness/until.ts'

const body = JSON.stringify({ model: 'signalbox/demo', messages: [{ role: 'user', content: 'demo:words=2' }] })

/**
 * Uses a separate connection, so that any worker can get it.
 * @returns the id of the request.
 */
async function complete(url: string): Promise<string> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', connection: 'close' }
  const response = await fetch(`${url}/chat/completions`, { method: 'POST', headers, body })
  await response.text()
  return response.headers.get('x-generation-id')!
}

const idsOf = (listening: EventListener) => listening.dataOf('generation').map(({ id }) => id)

onOneDatabase('events of a service of three workers', (kind) => {
  test('an event of any worker reaches every client once, also after a reconnect', async () => {
    const testStore = await newTestStore(kind)
    const [server] = await startPriced(testStore, 1, undefined, { WORKERS: '3' })
    const url = await server!.url
    const streams = await Promise.all(
      Array.from({ length: 9 }, (_, at) => listen(url, { key: at % 2 ? apiKey : managementKey })),
    )
    const early = await Promise.all(Array.from({ length: 30 }, () => complete(url)))
    for (const stream of streams) await until(() => idsOf(stream).length === 30)
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', connection: 'close' }
    await fetch(`${url}/interns`, { method: 'POST', headers, body: '{"name":"ada"}' })
    for (const stream of streams) assert.equal((await stream.waitFor('intern')).name, 'ada')
    const leaving = streams.slice(0, 6)
    for (const stream of leaving) stream.close()
    const late = await Promise.all(Array.from({ length: 30 }, () => complete(url)))
    for (const stream of streams.slice(6)) {
      await until(() => idsOf(stream).length === 60)
      assert.deepEqual(idsOf(stream).sort(), [...early, ...late].sort())
    }
    for (const { lastId } of leaving) {
      const resumed = await listen(url, { key: apiKey, lastEventId: lastId() })
      await until(() => idsOf(resumed).length >= 30)
      assert.deepEqual(idsOf(resumed).sort(), late.sort())
      resumed.close()
    }
    server!.signal('SIGTERM')
    // Streams have no end themselves: they must not delay that of the server.
    await Promise.all([server!.ended, ...streams.slice(6).map(({ ended }) => until(ended))])
    await testStore.remove()
  })
})

const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'

describe('events of several servers', { skip }, () => {
  test('a client of one server gets events of another, and resumes there', async () => {
    const testStore = await newTestStore('postgres')
    const [one, other] = await Promise.all([startTestService({ testStore }), startTestService({ testStore })])
    const listening = await listen(one!.url, { key: apiKey })
    const ids = [await complete(other!.url), await complete(one!.url)]
    await until(() => idsOf(listening).length === 2)
    listening.close()
    ids.push(await complete(other!.url), await complete(one!.url))
    const resumed = await listen(other!.url, { key: apiKey, lastEventId: listening.lastId() })
    await until(() => idsOf(resumed).length === 2)
    assert.deepEqual([...idsOf(listening), ...idsOf(resumed)].sort(), ids.sort())
    await Promise.all([one!.stop(), other!.stop()])
    await until(resumed.ended)
    await testStore.remove()
  })
})
