import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newEmptyTestStore } from '../harness/database/databases.ts'
import { sendMixedLoad } from '../harness/service/load/mixed-load.ts'
import { startPriced } from '../harness/service/load/priced-servers.ts'
import { noPrometheus, startPrometheus } from '../harness/service/prometheus.ts'
import { until } from '../harness/until.ts'

/** `npm run test:alerts` also runs test/slow/operations/alerts.test.ts, in which alerts fire under the faults that they name. */
const skip = noPrometheus || (process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set')
const minutes = Number(process.env.TEST_ALERTS_MINUTES ?? 10)

test(`no alert fires in ${minutes} minutes of a healthy service in a real Prometheus`, {
  skip,
}, async () => {
  await using stack = new AsyncDisposableStack()
  const targets: Record<string, string> = {}
  const loaded: string[] = []
  for (const kind of ['sqlite', 'postgres'] as const)
    for (const state of ['idle', 'loaded'] as const) {
      const testStore = await newEmptyTestStore(kind)
      stack.defer(testStore.remove)
      const [server] = await startPriced(testStore, 1, undefined, { METRICS_PORT: '0', LOG_FORMAT: 'json' })
      stack.use(server!)
      targets[`${kind}-${state}`] = await until(() => /"url":"(http:\S+?\/metrics)"/.exec(server!.err())?.[1])
      if (state === 'loaded') loaded.push(await server!.url)
    }
  const prometheus = stack.use(await startPrometheus(targets, '10s'))
  let isOver = false
  const clients = loaded.flatMap((url) => [1, 2, 3, 4].map(() => sendMixedLoad(url, () => isOver)))
  await sleep(minutes * 60_000)
  isOver = true
  await Promise.all(clients)
  assert.deepEqual(await prometheus.fired(), [])
})
