import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { mergeValues } from '#api/telemetry/metrics.ts'
import { Settings } from '#platform/config/settings.ts'
import type { MetricValues } from '#platform/metrics/metric.ts'
import { createRpc, type Handlers, portPair } from '#platform/process/rpc.ts'
import { until } from '#test/harness/until.ts'
import { userFacingErrorCode } from './calls.ts'
import { Fleet } from './fleet.ts'

const counted = (value: number): MetricValues[] => [
  { name: 'n', help: 'n', type: 'counter', aggregator: 'sum', values: [{ labels: {}, value }] },
]

/** Workers within this process: the calls that each received, and functions that end them. */
function fleetOf(count: number, onStart: (at: number) => void | Promise<void> = () => {}, silenceMs = 60_000) {
  const workers: { accepts: number[]; retired: boolean; figure: number; hangs: boolean; die: () => void }[] = []
  let restarts = 0
  const fleet = new Fleet({
    sockets: Array.from({ length: count }, (_, at) => [at + 10]),
    start: { config: Settings.parse({}), sources: {} },
    serve: () => ({ handlers: {}, end: async () => {} }),
    merge: mergeValues,
    onRestart: () => void restarts++,
    silenceMs,
    log: pino({ level: 'silent' }),
    spawn(_sockets, handlers: Handlers) {
      const [here, there, close] = portPair()
      const ended = Promise.withResolvers<string>()
      const die = () => {
        close()
        ended.resolve('died')
      }
      const worker = { accepts: [] as number[], retired: false, figure: 0, hangs: false, die }
      const at = workers.push(worker) - 1
      createRpc(there, {
        async 'worker.start'({ sockets }: { sockets: number[] }) {
          await onStart(at)
          worker.accepts = sockets
        },
        'worker.accept': (accepts: number[]) => void Object.assign(worker, { accepts }),
        'worker.metrics': () => counted(worker.figure),
        'worker.retire': () => void Object.assign(worker, { retired: true }),
        'worker.ping': () => (worker.hangs ? new Promise(() => {}) : undefined),
        'worker.stop': die,
      })
      return { pid: at, rpc: createRpc(here, handlers), ended: ended.promise, kill: die }
    },
  })
  return { fleet, workers, restarts: () => restarts }
}

const total = async (fleet: Fleet) => (await mergeValues(await fleet.readMetrics()))[0]?.values[0]?.value

test('while a worker is down the others accept its connections', async () => {
  const { fleet, workers, restarts } = fleetOf(2)
  await fleet.start()
  assert.deepEqual(
    workers.map(({ accepts }) => accepts),
    [[4], [5]],
  )
  let seen: number[] = []
  Object.defineProperty(workers[1], 'accepts', { set: (sockets) => (seen = [...seen, sockets.length]), get: () => [] })
  workers[0]!.die()
  await until(() => workers.length === 3 && fleet.count === 2)
  await until(() => seen.at(-1) === 1)
  assert.ok(seen.includes(2), `${seen}`)
  assert.deepEqual(workers[2]!.accepts, [4])
  assert.equal(restarts(), 1)
  await fleet.stop({ drain: false, withinMs: 1000, internAddress: undefined })
})

test('the counts of an ended worker stay in the sum', async () => {
  const { fleet, workers } = fleetOf(2)
  await fleet.start()
  for (const worker of workers) worker.figure = 5
  assert.equal(await total(fleet), 10)
  workers[0]!.die()
  await until(() => fleet.count === 2 && workers.length === 3)
  assert.equal(await total(fleet), 10)
  workers[2]!.figure = 1
  assert.equal(await total(fleet), 11)
  await fleet.stop({ drain: false, withinMs: 1000, internAddress: undefined })
})

test('workers are replaced one by one, each after the next one answers', async () => {
  const { fleet, workers } = fleetOf(2)
  await fleet.start()
  await fleet.replaceAll()
  await until(() => workers[0]!.retired && workers[1]!.retired)
  assert.deepEqual(
    workers.slice(2).map(({ accepts, retired }) => [accepts, retired]),
    [
      [[4], false],
      [[5], false],
    ],
  )
  await fleet.stop({ drain: false, withinMs: 1000, internAddress: undefined })
})

test('a worker that dies while it is replaced leaves one worker in its slot', async () => {
  const newStart = Promise.withResolvers<void>()
  const { fleet, workers } = fleetOf(1, (at) => (at === 1 ? newStart.promise : undefined))
  await fleet.start()
  const replaced = fleet.replaceAll()
  await until(() => workers.length === 2)
  workers[0]!.die()
  await until(() => workers.length === 3 && fleet.count === 1)
  newStart.resolve()
  await replaced
  await until(() => workers[2]!.retired)
  assert.equal(workers[1]!.retired, false)
  await fleet.stop({ drain: false, withinMs: 1000, internAddress: undefined })
})

test('a worker that cannot start ends all workers, with the reason', async () => {
  const { fleet } = fleetOf(3, (at) => {
    if (at === 1) throw Object.assign(new Error('The port is taken.'), { code: userFacingErrorCode })
  })
  await assert.rejects(fleet.start(), /^UserFacingError: The port is taken\.$/)
  assert.equal(fleet.count, 0)
})

test('a worker that ends repeatedly during its replacement is started until it stays', async () => {
  const { fleet, workers } = fleetOf(1, (at) => {
    if (at === 1 || at === 2) throw new Error('no')
  })
  await fleet.start()
  workers[0]!.die()
  await until(() => fleet.count === 1 && workers.length === 4)
  await fleet.stop({ drain: false, withinMs: 1000, internAddress: undefined })
})

test('a worker that hangs is ended and replaced, even if the other workers are busy', async () => {
  const { fleet, workers, restarts } = fleetOf(2, () => {}, 200)
  await fleet.start()
  workers[0]!.hangs = true
  await until(() => workers.length === 3 && fleet.count === 2)
  assert.deepEqual(workers[2]!.accepts, [4])
  assert.equal(restarts(), 1)
  await fleet.stop({ drain: false, withinMs: 1000, internAddress: undefined })
})
