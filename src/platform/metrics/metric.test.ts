import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lazyModules } from '../process/lazy-modules.ts'
import { createCounter, createGauge, createHistogram, type Metric } from './metric.ts'

function written(metric: Metric): Promise<string> {
  const { Registry } = lazyModules.promClient()
  const register = new Registry()
  register.registerMetric(metric as never)
  return register.metrics()
}

test('a histogram counts values up to each bound, and above all', async () => {
  const metric = createHistogram({ name: 'took_seconds', help: 'How long.', labels: ['who', 'how'], buckets: [0.1, 1] })
  for (const value of [0.05, 0.1, 0.5, 3]) metric.observe(value, 'ada', 'well')
  metric.observe(1, 'eve', 'badly')
  assert.equal(
    await written(metric),
    `# HELP took_seconds How long.
# TYPE took_seconds histogram
took_seconds_bucket{le="0.1",who="ada",how="well"} 2
took_seconds_bucket{le="1",who="ada",how="well"} 3
took_seconds_bucket{le="+Inf",who="ada",how="well"} 4
took_seconds_sum{who="ada",how="well"} 3.65
took_seconds_count{who="ada",how="well"} 4
took_seconds_bucket{le="0.1",who="eve",how="badly"} 0
took_seconds_bucket{le="1",who="eve",how="badly"} 1
took_seconds_bucket{le="+Inf",who="eve",how="badly"} 1
took_seconds_sum{who="eve",how="badly"} 1
took_seconds_count{who="eve",how="badly"} 1
`,
  )
})

test('a counter keeps the series of different labels apart', async () => {
  const metric = createCounter({ name: 'asked_total', help: 'Asked.', labels: ['a', 'b'] })
  metric.add('x y', 'z')
  metric.add('x', 'y z')
  metric.add('x', 'y z')
  const text = await written(metric)
  assert.match(text, /asked_total\{a="x y",b="z"\} 1\nasked_total\{a="x",b="y z"\} 2\n/)
})

test('a gauge returns the value at the time of reading', async () => {
  let stands = 1
  const metric = createGauge({ name: 'size', help: 'Size.', label: 'of' }, () => ({ models: stands }))
  stands = 2
  assert.match(await written(metric), /size\{of="models"\} 2\n/)
})
