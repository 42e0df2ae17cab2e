import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listen } from '#test/harness/service/events.ts'
import { startTestService } from '#test/harness/service/service.ts'
import { until } from '#test/harness/until.ts'

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
