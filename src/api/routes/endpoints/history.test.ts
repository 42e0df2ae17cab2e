import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hourMs } from '#platform/core/clock.ts'
import { openDb } from '#platform/db/open.ts'
import { Sketch } from '#platform/metrics/sketch.ts'
import { onEachDatabase } from '#test/harness/database/databases.ts'
import { startWithModels } from '#test/harness/records/model-catalogue.ts'
import { startTestService } from '#test/harness/service/service.ts'

const endpoint = 'signalbox/demo@signalbox'

onEachDatabase('GET /endpoints/history', (kind) => {
  test('returns latency, throughput and uptime of endpoints by hour and by day', async () => {
    await using service = await startTestService({ kind })
    const hour = Math.floor(Date.now() / hourMs) - 2
    const speeds = new Sketch()
    for (const value of [100, 100, 100, 100, 400]) speeds.accept(value)
    const row = { endpoint, successes: 3, errors: 1, latency: speeds.toText(), throughput: '' }
    // Postgres accepts a second connection. The embedded database can be opened by another process only while nothing
    // is written.
    const db = await openDb(service.testStore.settings)
    await db.query
      .insertInto('endpoint_history')
      .values({ ...row, hour })
      .execute()
    await db.query
      .insertInto('endpoint_history')
      .values({ ...row, hour: hour - 1, successes: 4, errors: 0 })
      .execute()
    await db.close()
    const { data } = (await service.ask('GET', '/endpoints/history?model=signalbox/demo')).body
    assert.deepEqual(
      data.map((one: any) => [one.endpoint_id, one.tag, one.points.map((point: any) => point.uptime)]),
      [[endpoint, 'signalbox', [100, 75]]],
    )
    const [point] = data[0].points
    assert.deepEqual([point.date, point.throughput], [new Date((hour - 1) * hourMs).toISOString(), null])
    assert.ok(Math.abs(point.latency.p50 - 100) < 1.1 && Math.abs(point.latency.p99 - 100) < 1.1)
    const from = new Date((hour - 30) * hourMs).toISOString()
    const days = await service.ask('GET', `/endpoints/history?endpoint_id=${endpoint}&granularity=day&from=${from}`)
    const uptimes = days.body.data[0].points.map((one: any) => one.uptime)
    assert.ok(uptimes.length === 1 ? uptimes[0] === 87.5 : uptimes.length === 2, JSON.stringify(uptimes))
  })
})

test('an endpoint of a model with an @ in its id is found', async () => {
  await using service = await startWithModels({ 'a/model@1': { endpoints: { north: {} } } })
  const { status, body } = await service.ask('GET', '/endpoints/history?endpoint_id=a/model@1@north')
  assert.deepEqual([status, body.data?.[0]?.model_id], [200, 'a/model@1'])
})

test('an unknown endpoint or model is refused, and one of the two is required', async () => {
  await using service = await startTestService()
  const refusal = async (query: string) => {
    const { status, body } = await service.ask('GET', `/endpoints/history${query}`)
    return [status, body.error.message]
  }
  assert.deepEqual(await refusal('?model=a/b'), [404, 'Model "a/b" not found. GET /models lists them all.'])
  assert.deepEqual(await refusal('?endpoint_id=signalbox/demo@x'), [404, 'Endpoint "signalbox/demo@x" not found.'])
  const either = [400, 'Invalid request: either model or endpoint_id is required']
  assert.deepEqual(
    [await refusal(''), await refusal(`?model=signalbox/demo&endpoint_id=${endpoint}`)],
    [either, either],
  )
})
