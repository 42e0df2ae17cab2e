import { setTimeout as sleep } from 'node:timers/promises'
import type { HostStatus, ProcessStatus } from '#api/status/process-status.ts'
import { backoffDelay } from '#platform/async/backoff.ts'
import { retry } from '#platform/async/retry.ts'
import { serializeCalls } from '#platform/async/serialize-calls.ts'
import { waitAtMost } from '#platform/async/wait-at-most.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import type { MetricValues } from '#platform/metrics/metric.ts'
import type { Log } from '#platform/process/log.ts'
import type { Handlers } from '#platform/process/rpc.ts'
import { userFacingErrorCode, type WorkerStart, type WorkerStop } from './calls.ts'
import { watchHeartbeat } from './heartbeat.ts'
import { numberInheritedSockets, type WorkerProcess } from './worker-process.ts'

/** A place in the fleet: dedicated sockets, and the worker that accepts their connections. */
type Slot = {
  index: number
  /** The worker that accepts connections. */
  ready: RunningWorker | undefined
  /** 0 before the first worker has ended; then the number of consecutive workers that ended soon after their start, at least 1. */
  failures: number
}

type RunningWorker = WorkerProcess & {
  startedAt: number
  /** The last known metrics of the worker. */
  values: MetricValues[]
  /** True after the worker was asked to end. */
  isShuttingDown: boolean
}

type FleetDeps = {
  /** The bound sockets of each slot. */
  sockets: readonly number[][]
  start: Omit<WorkerStart, 'sockets'>
  spawn: (sockets: readonly number[][], handlers: Handlers) => WorkerProcess
  /** Returns the handlers of a worker's calls, and `end`, which is called when the worker has ended. */
  serve: (worker: () => WorkerProcess) => { handlers: Handlers; end: () => Promise<unknown> }
  /** Merges the metrics of processes that have ended. */
  merge: (processes: MetricValues[][]) => Promise<MetricValues[]>
  /** Called when a worker is started to replace one that died. */
  onRestart: () => void
  /** A worker that has not answered for this time is killed and replaced. */
  silenceMs: number
  log: Log
}

/** A worker that ends earlier than this has failed. The first failure is retried at once. */
const rapidEndMs = 10_000
const backoff = { firstMs: 250, maxMs: 30_000 }

/** The time in which a worker must report its metrics or status, or release its sockets. */
const responseTimeoutMs = 2000

/** The workers of one host, one in each slot. A worker that ends is replaced. */
export class Fleet {
  readonly #deps: FleetDeps
  readonly #slots: Slot[]
  readonly #inheritedSockets: number[][]
  readonly #workers = new Set<RunningWorker>()
  /** The metrics of workers that have ended. */
  #endedMetrics: Promise<MetricValues[]> = Promise.resolve([])
  #isStopping = false

  constructor(deps: FleetDeps) {
    this.#deps = deps
    this.#slots = deps.sockets.map((_, index) => ({ index, ready: undefined, failures: 0 }))
    this.#inheritedSockets = numberInheritedSockets(deps.sockets)
  }

  /** The number of workers that take connections. */
  get count(): number {
    return this.#slots.filter(({ ready }) => ready).length
  }

  /** Starts all workers. @throws UserFacingError if one cannot start; all are then stopped. */
  async start(): Promise<void> {
    try {
      await Promise.all(this.#slots.map((slot) => this.#startWorker(slot)))
    } catch (error) {
      this.#isStopping = true
      for (const worker of this.#workers) worker.kill()
      await Promise.all([...this.#workers].map(({ ended }) => ended))
      throw error
    }
  }

  /** Starts a worker. Until the previous worker of the slot has retired, both accept connections. */
  async #startWorker(slot: Slot): Promise<void> {
    const worker = this.#spawn()
    const sockets = this.#socketsFor(slot)
    try {
      await worker.rpc.call('worker.start', { ...this.#deps.start, sockets })
    } catch (error) {
      worker.kill()
      const exitText = await worker.ended
      const { code, message } = error as { code?: unknown; message: string }
      if (code === userFacingErrorCode) throw new UserFacingError(message)
      throw new UserFacingError(`A worker could not start: it ${exitText} (${message}).`)
    }
    // Read only now, because the previous worker can have died and been replaced meanwhile.
    const previous = slot.ready
    slot.ready = worker
    // Starts only now, because a start can take any time on a slow machine.
    const endWatch = watchHeartbeat(worker.rpc, this.#deps.silenceMs, () => this.#endSilent(worker))
    void worker.ended.then(endWatch)
    void worker.ended.then((exitText) => this.#replace(slot, worker, exitText))
    if (previous) this.#retire(previous)
    this.#assignSockets()
  }

  #spawn(): RunningWorker {
    // Set below. Handlers are called only after the process has started.
    let running: RunningWorker | undefined
    const { handlers, end } = this.#deps.serve(() => running!)
    const lastMetrics = { 'metrics.last': (values: MetricValues[]) => void Object.assign(running!, { values }) }
    const spawned = this.#deps.spawn(this.#deps.sockets, { ...handlers, ...lastMetrics })
    const worker: RunningWorker = { ...spawned, startedAt: performance.now(), values: [], isShuttingDown: false }
    running = worker
    this.#workers.add(worker)
    void worker.ended.then(() => {
      this.#workers.delete(worker)
      if (worker.values.length > 0)
        this.#endedMetrics = this.#endedMetrics.then((past) => this.#addMetrics(past, worker))
      void end().catch((error) => this.#deps.log.warn({ err: error }, 'the cleanup after a worker failed'))
    })
    return worker
  }

  #endSilent(worker: RunningWorker): void {
    const { log, silenceMs } = this.#deps
    log.error({ pid: worker.pid, silenceMs }, 'killing a worker that is running but does not respond')
    worker.kill()
  }

  /** Adds the counters of an ended worker, because Prometheus takes a counter that falls for a restart of the service. */
  #addMetrics(past: MetricValues[], { values }: RunningWorker): Promise<MetricValues[]> {
    return this.#deps.merge([past, values.filter(({ aggregator, type }) => aggregator === 'sum' && type !== 'gauge')])
  }

  /** Returns the sockets of the slot and of slots without a worker. */
  #socketsFor(slot: Slot): number[] {
    const orphaned = this.#slots.filter((other) => other !== slot && !other.ready && other.failures > 0)
    return [slot, ...orphaned].flatMap(({ index }) => this.#inheritedSockets[index]!)
  }

  #assignSockets(): void {
    for (const slot of this.#slots) {
      slot.ready?.rpc.call('worker.accept', this.#socketsFor(slot)).catch(() => {})
    }
  }

  async #replace(slot: Slot, worker: RunningWorker, exitText: string): Promise<void> {
    if (slot.ready !== worker) return
    slot.ready = undefined
    if (this.#isStopping) return
    slot.failures = performance.now() - worker.startedAt < rapidEndMs ? slot.failures + 1 : 1
    this.#deps.log.error({ pid: worker.pid }, `a worker ${exitText}; starting another one`)
    this.#assignSockets()
    const delayOf = () => (slot.failures > 1 ? backoffDelay(backoff, slot.failures - 1) : 0)
    await sleep(delayOf(), undefined, { ref: false })
    const start = async () => {
      if (this.#isStopping) return
      this.#deps.onRestart()
      const startedAt = performance.now()
      await this.#startWorker(slot)
      this.#deps.log.info({ ms: Math.round(performance.now() - startedAt) }, 'a worker is back')
    }
    const onFailure = (_: number, error: Error) => {
      this.#deps.log.error({ err: error }, 'a worker could not be replaced; retrying')
      slot.failures++
      return delayOf()
    }
    await retry(start, onFailure, { ref: false })
  }

  #retire(worker: RunningWorker): void {
    worker.isShuttingDown = true
    worker.rpc.call('worker.retire', null).catch(() => {})
  }

  /**
   * Replaces all workers, one after the other. A replaced worker ends when its last client has disconnected.
   * @throws UserFacingError if a new worker cannot start; the previous one then continues.
   */
  readonly replaceAll = serializeCalls(() => this.#replaceEach())

  async #replaceEach(): Promise<void> {
    for (const slot of this.#slots) {
      if (this.#isStopping) return
      if (slot.ready) await this.#startWorker(slot)
    }
  }

  /** Waits for a call to each running worker, including those that are being replaced. Ignores failures. */
  async callAll(call: (worker: WorkerProcess) => Promise<unknown>): Promise<void> {
    await Promise.allSettled([...this.#workers].map(call))
  }

  /** The metrics of all workers, including those that have ended. */
  async readMetrics(): Promise<MetricValues[][]> {
    await this.callAll(async (worker) => {
      const values = await waitAtMost(responseTimeoutMs, worker.rpc.call('worker.metrics', null))
      if (values) (worker as RunningWorker).values = values
    })
    return [await this.#endedMetrics, ...[...this.#workers].map(({ values }) => values)]
  }

  /** Returns the status of the workers that answer in time. */
  async readStatuses(): Promise<HostStatus> {
    const processes: ProcessStatus[] = []
    await this.callAll(async (worker) => {
      const status = await waitAtMost(responseTimeoutMs, worker.rpc.call('worker.status', null))
      if (status) processes.push(status)
    })
    return { expected: this.#slots.length, processes }
  }

  /**
   * Ends all workers.
   * @param options.withinMs the time after which they are killed.
   * @param options.internAddress where they serve interns after the drain, until `endInterns`.
   */
  async stop({ drain, withinMs, internAddress }: WorkerStop & { withinMs: number }): Promise<void> {
    this.#isStopping = true
    const all = [...this.#workers]
    const killTimer = setTimeout(() => {
      for (const worker of all) worker.kill()
    }, withinMs)
    // Released first: a socket that is still open in another process would let connections wait instead of refusing them.
    const released = this.callAll(({ rpc }) => rpc.call('worker.release', this.#inheritedSockets.flat()))
    await waitAtMost(responseTimeoutMs, released)
    void this.callAll(({ rpc }) => rpc.call('worker.stop', { drain, internAddress }))
    await Promise.all(all.map(({ ended }) => ended))
    clearTimeout(killTimer)
  }

  /** Resolves when, after the drain, no worker has clients. */
  waitForClients = () => this.callAll(({ rpc }) => rpc.call('worker.clientsGone', null))

  /** Notifies workers that the interns of this host have ended. */
  endInterns = () => this.callAll(({ rpc }) => rpc.call('worker.internsEnded', null))

  /** Ends the drain of workers. */
  skipDrain = () => this.callAll(({ rpc }) => rpc.call('worker.skipDrain', null))
}
