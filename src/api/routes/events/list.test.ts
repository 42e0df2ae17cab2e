import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listen } from '#test/harness/service/events.ts'
import { startTestService } from '#test/harness/service/service.ts'
import { until } from '#test/harness/until.ts'
import { listEvents } from './list.ts'

test('a stream that is refused because the key has too many does not stay in flight', async () => {
  await using service = await startTestService()
  const streams = await Promise.all(Array.from({ length: 100 }, () => listen(service.url, { key: service.apiKey })))
  assert.equal((await service.ask('GET', '/events')).status, 429)
  for (const stream of streams) stream.close()
  const figures = [/^signalbox_event_streams 0$/m, /^signalbox_answers_in_flight 0$/m]
  let metrics = ''
  await until(
    async () => {
      metrics = (await service.manage('GET', '/metrics')).text
      return figures.every((figure) => figure.test(metrics))
    },
    20_000,
    () => metrics.match(/^signalbox_(answers_in_flight|event_streams).*$/gm)?.join(' ') ?? '',
  )
})

test('a stream that fails before its first event leaves no listener', async () => {
  const events: string[] = []
  const failingResponse = {
    onRevoked() {
      throw new Error('a defect')
    },
  }
  const tracked = { response: failingResponse, recheckWith() {}, release: () => events.push('released') }
  const deps = {
    liveEvents: { join: () => ({}), leave: () => events.push('left') },
    gateway: { inFlight: { track: () => tracked } },
  }
  const handler = listEvents.handler as unknown as (request: object, deps: object) => Promise<unknown>
  await assert.rejects(handler({ query: {}, headers: {} }, deps), /a defect/)
  assert.deepEqual(events, ['left', 'released'])
})
