import { setTimeout as sleep } from 'node:timers/promises'
import type { HostStatus, ProcessStatus } from '#api/status/process-status.ts'
import { backoffDelay } from '#platform/async/backoff.ts'
import { serializeCalls } from '#platform/async/serialize-calls.ts'
import { StartupError } from '#platform/core/fault.ts'
import type { MetricValues } from '#platform/metrics/metric.ts'
import type { Log } from '#platform/process/log.ts'
import type { Handlers } from '#platform/process/rpc.ts'
import { startCode, type WorkerStart, type WorkerStop } from './calls.ts'
import { watchHeartbeat } from './heartbeat.ts'
import { socketsThere, type WorkerProcess } from './worker-process.ts'

/** One worker's place: a socket of its own, and whoever answers on it. */
type Slot = {
  index: number
  /** Takes connections. */
  ready: Running | undefined
  /** Ended soon after they began, in a row. */
  failures: number
}

type Running = WorkerProcess & {
  startedAt: number
  /** Its last known metrics. */
  values: MetricValues[]
  /** True after the worker was asked to end. */
  isShuttingDown: boolean
}

type FleetDeps = {
  /** The sockets of each place, bound here. */
  sockets: readonly number[][]
  start: Omit<WorkerStart, 'sockets'>
  spawn: (sockets: readonly number[][], handlers: Handlers) => WorkerProcess
  /** Opens what a worker may ask. `end` is called when it is gone. */
  serve: (worker: () => WorkerProcess) => { handlers: Handlers; end: () => Promise<unknown> }
  /** Merges the metrics of processes that have ended. */
  merge: (processes: MetricValues[][]) => Promise<MetricValues[]>
  /** Called when a worker is started to replace one that died. */
  onRestart: () => void
  /** A worker that has not answered for so long is ended, and replaced like one that died. */
  silenceMs: number
  log: Log
}

/** One that lives shorter than this has failed; the first such is tried again at once. */
const soonMs = 10_000
const backoff = { firstMs: 250, maxMs: 30_000 }

/** A worker must report its metrics, or how it is, within this time. */
const figuresMs = 2000

/** The workers of one host: as many as there are places, each replaced when it ends. */
export class Fleet {
  readonly #deps: FleetDeps
  readonly #slots: Slot[]
  readonly #there: number[][]
  readonly #all = new Set<Running>()
  /** The metrics of workers that have ended. */
  #past: Promise<MetricValues[]> = Promise.resolve([])
  #isStopping = false

  constructor(deps: FleetDeps) {
    this.#deps = deps
    this.#slots = deps.sockets.map((_, index) => ({ index, ready: undefined, failures: 0 }))
    this.#there = socketsThere(deps.sockets)
  }

  /** The number of workers that take connections. */
  get count(): number {
    return this.#slots.filter(({ ready }) => ready).length
  }

  /** @throws StartupError when one of them cannot start; then none runs. */
  async start(): Promise<void> {
    try {
      await Promise.all(this.#slots.map((slot) => this.#fill(slot)))
    } catch (error) {
      this.#isStopping = true
      for (const worker of this.#all) worker.kill()
      await Promise.all([...this.#all].map(({ ended }) => ended))
      throw error
    }
  }

  /** Starts a worker, which takes connections with the one before it, if there is one. */
  async #fill(slot: Slot): Promise<void> {
    const worker = this.#spawn()
    const sockets = this.#socketsFor(slot)
    const before = slot.ready
    try {
      await worker.rpc.call('worker.start', { ...this.#deps.start, sockets })
    } catch (error) {
      worker.kill()
      const how = await worker.ended
      const { code, message } = error as { code?: unknown; message: string }
      if (code === startCode) throw new StartupError(message)
      throw new StartupError(`A worker could not start: it ${how} (${message}).`)
    }
    slot.ready = worker
    // Not before: how long a start takes is the machine's affair.
    const endWatch = watchHeartbeat(worker.rpc, this.#deps.silenceMs, () => this.#endSilent(worker))
    void worker.ended.then(endWatch)
    void worker.ended.then((how) => this.#replace(slot, worker, how))
    if (before) this.#retire(before)
    this.#spread()
  }

  #spawn(): Running {
    let running: Running | undefined
    const { handlers, end } = this.#deps.serve(() => running!)
    const last = { 'metrics.last': (values: MetricValues[]) => void Object.assign(running!, { values }) }
    const spawned = this.#deps.spawn(this.#deps.sockets, { ...handlers, ...last })
    const worker: Running = { ...spawned, startedAt: performance.now(), values: [], isShuttingDown: false }
    running = worker
    this.#all.add(worker)
    void worker.ended.then(() => {
      this.#all.delete(worker)
      if (worker.values.length > 0) this.#past = this.#past.then((past) => this.#withCounted(past, worker))
      void end().catch((error) => this.#deps.log.warn({ err: error }, 'what a worker left open could not be undone'))
    })
    return worker
  }

  #endSilent(worker: Running): void {
    const { log, silenceMs } = this.#deps
    log.error({ pid: worker.pid, silenceMs }, 'a worker does not answer any more, though it runs; it is ended')
    worker.kill()
  }

  /** Adds the counters of an ended worker: a counter that falls would look like a restart. */
  #withCounted(past: MetricValues[], { values }: Running): Promise<MetricValues[]> {
    return this.#deps.merge([past, values.filter(({ aggregator, type }) => aggregator === 'sum' && type !== 'gauge')])
  }

  /** Its own, and those of places that nobody answers on. */
  #socketsFor(slot: Slot): number[] {
    const orphaned = this.#slots.filter((other) => other !== slot && !other.ready && other.failures > 0)
    return [slot, ...orphaned].flatMap(({ index }) => this.#there[index]!)
  }

  #spread(): void {
    for (const slot of this.#slots) {
      slot.ready?.rpc.call('worker.accept', this.#socketsFor(slot)).catch(() => {})
    }
  }

  async #replace(slot: Slot, worker: Running, how: string): Promise<void> {
    if (slot.ready !== worker) return
    slot.ready = undefined
    if (this.#isStopping) return
    slot.failures = performance.now() - worker.startedAt < soonMs ? slot.failures + 1 : 1
    this.#deps.log.error({ pid: worker.pid }, `a worker ${how}; another one takes its place`)
    this.#spread()
    for (; ; slot.failures++) {
      const waitMs = slot.failures > 1 ? backoffDelay(backoff, slot.failures - 1) : 0
      await sleep(waitMs, undefined, { ref: false })
      if (this.#isStopping) return
      this.#deps.onRestart()
      const startedAt = performance.now()
      try {
        await this.#fill(slot)
        const ms = Math.round(performance.now() - startedAt)
        this.#deps.log.info({ ms }, 'a worker is back')
        return
      } catch (error) {
        this.#deps.log.error({ err: error }, 'a worker could not be replaced; it is tried again')
      }
    }
  }

  #retire(worker: Running): void {
    worker.isShuttingDown = true
    worker.rpc.call('worker.retire', null).catch(() => {})
  }

  /**
   * Starts another worker in the place of each, one after the other. Those before end with their last client.
   * @throws StartupError when a new one cannot start; the one before it goes on then.
   */
  readonly replaceAll = serializeCalls(() => this.#replaceEach())

  async #replaceEach(): Promise<void> {
    for (const slot of this.#slots) {
      if (this.#isStopping) return
      if (slot.ready) await this.#fill(slot)
    }
  }

  /** Asks each that runs, those that are being replaced too. */
  async callAll(ask: (worker: WorkerProcess) => Promise<unknown>): Promise<void> {
    await Promise.allSettled([...this.#all].map(ask))
  }

  /** The metrics of all workers, including those that have ended. */
  async figures(): Promise<MetricValues[][]> {
    await this.callAll(async (worker) => {
      const values = await Promise.race([
        worker.rpc.call('worker.metrics', null),
        sleep(figuresMs, undefined, { ref: false }),
      ])
      if (values) (worker as Running).values = values
    })
    return [await this.#past, ...[...this.#all].map(({ values }) => values)]
  }

  /** Returns the status of the workers that answer in time. */
  async statuses(): Promise<HostStatus> {
    const processes: ProcessStatus[] = []
    await this.callAll(async (worker) => {
      const status = await Promise.race([
        worker.rpc.call('worker.status', null),
        sleep(figuresMs, undefined, { ref: false }),
      ])
      if (status) processes.push(status)
    })
    return { wanted: this.#slots.length, processes }
  }

  /**
   * Ends all workers.
   * @param options.withinMs the time after which they are killed.
   * @param options.internAddress where they serve interns after the drain, until `endInterns`.
   */
  async stop({ drain, withinMs, internAddress }: WorkerStop & { withinMs: number }): Promise<void> {
    this.#isStopping = true
    const all = [...this.#all]
    const late = setTimeout(() => {
      for (const worker of all) worker.kill()
    }, withinMs)
    // First: a socket that another process still has would let connections wait instead of refusing them.
    const released = this.callAll(({ rpc }) => rpc.call('worker.release', this.#there.flat()))
    await Promise.race([released, sleep(figuresMs, undefined, { ref: false })])
    void this.callAll(({ rpc }) => rpc.call('worker.stop', { drain, internAddress }))
    await Promise.all(all.map(({ ended }) => ended))
    clearTimeout(late)
  }

  /** Resolves when, after the drain, no worker has clients. */
  clientsGone = () => this.callAll(({ rpc }) => rpc.call('worker.clientsGone', null))

  /** Notifies workers that the interns of this host have ended. */
  endInterns = () => this.callAll(({ rpc }) => rpc.call('worker.internsEnded', null))

  /** Ends the drain of workers. */
  skipDrain = () => this.callAll(({ rpc }) => rpc.call('worker.skipDrain', null))
}
