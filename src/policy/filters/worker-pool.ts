import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { DisconnectSignal } from '#platform/async/disconnect-signal.ts'
import { FairQueue, type Requester } from '#platform/async/limits/fair-queue.ts'
import { clientClosedFault, Fault } from '#platform/core/fault.ts'
import { type BlockedResult, blockedResult, type FilteredResult } from './filter-bodies.ts'
import type { FilterRule } from './filter-rule.ts'
import type { AllMatches } from './find-all-matches.ts'
import { estimateBytes } from './scan-cost.ts'

/** The work of a thread: filter the bodies of a request, or find all matches in a text. */
export type Task = { rules: readonly FilterRule[] } & ({ bodies: Record<string, object> } | { text: string })

/** The key that a scan is for, and the signal that aborts when its result is no longer needed. */
export type ScanRequest = { requester: Requester; signal?: DisconnectSignal | undefined }

type Outcome = BlockedResult | FilteredResult | AllMatches
type Job = {
  task: Task
  bytes: number
  requester: Requester
  resolve: (outcome: Outcome) => void
  reject: (error: unknown) => void
}
type PoolWorker = {
  worker: Worker
  isReady: boolean
  /** The index of the rule that the thread applies, in shared memory. */
  currentRule: Int32Array
  job: Job | undefined
  timeLimit: NodeJS.Timeout | undefined
}

/** The time limit for the start of a thread, after which its request is refused. */
const startLimitMs = 15_000
/** The limit of waiting scans of one key. */
const maxQueued = { jobs: 64, bytes: 64 * 1024 * 1024 }
const retryAfterSeconds = 5

/** Threads that filter long texts. They start when there is work and never keep the process alive. */
export class WorkerPool {
  readonly #timeLimitMs: number
  readonly #maxWorkers = Math.max(2, Math.min(4, availableParallelism()))
  /** Reserves one thread for the other workspaces, so that they do not wait for a long scan of this one. */
  readonly #maxPerWorkspace = this.#maxWorkers - 1
  readonly #workers = new Set<PoolWorker>()
  readonly #queue = new FairQueue<Job>()

  /** @param timeLimitMs the time limit for one request. After it, the current rule counts as failed, and the thread ends. */
  constructor({ timeLimitMs }: { timeLimitMs: number }) {
    this.#timeLimitMs = timeLimitMs
  }

  filter(
    rules: readonly FilterRule[],
    bodies: Record<string, object>,
    request: ScanRequest,
  ): Promise<BlockedResult | FilteredResult> {
    return this.#submit({ rules, bodies }, request) as Promise<BlockedResult | FilteredResult>
  }

  findAllMatches(
    rules: readonly FilterRule[],
    text: string,
    request: ScanRequest,
  ): Promise<BlockedResult | AllMatches> {
    return this.#submit({ rules, text }, request) as Promise<BlockedResult | AllMatches>
  }

  async close(): Promise<void> {
    const takeAny = () => this.#queue.take(() => true)
    for (let job = takeAny(); job; job = takeAny()) job.reject(new Error('The scanner was closed.'))
    await Promise.all([...this.#workers].map(({ worker }) => worker.terminate()))
  }

  /** Waits for a thread, then for the result. Leaves the queue as soon as the signal aborts. */
  async #submit(task: Task, { requester, signal }: ScanRequest): Promise<Outcome> {
    const bytes = estimateBytes('text' in task ? task.text : task.bodies)
    requireQueueSpace(this.#queue.waitingJobs(requester), bytes)
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
    const job = { task, bytes, requester, resolve, reject }
    const cancel = () => {
      if (this.#queue.remove(job)) reject(clientClosedFault())
    }
    this.#queue.add(job)
    if (signal?.aborted) cancel()
    else signal?.addEventListener('abort', cancel)
    this.#runNext()
    try {
      return await promise
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  #runNext(): void {
    const idle = [...this.#workers].find(({ job }) => !job)
    if (!idle && this.#workers.size >= this.#maxWorkers) return
    const job = this.#queue.take((workspaceId) => this.#canRun(workspaceId))
    if (job) this.#run(idle ?? this.#startWorker(), job)
  }

  #canRun(workspaceId: string): boolean {
    let running = 0
    for (const { job } of this.#workers) if (job?.requester.workspaceId === workspaceId) running++
    return running < this.#maxPerWorkspace
  }

  #run(poolWorker: PoolWorker, job: Job): void {
    poolWorker.job = job
    poolWorker.worker.ref()
    this.#startTimeLimit(poolWorker)
    Atomics.store(poolWorker.currentRule, 0, 0)
    try {
      poolWorker.worker.postMessage(job.task)
    } catch (error) {
      this.#release(poolWorker)?.reject(error)
      this.#runNext()
    }
  }

  #startWorker(): PoolWorker {
    const currentRule = new Int32Array(new SharedArrayBuffer(4))
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: currentRule,
      // The thread needs neither the environment, which has credentials, nor the options of this process.
      env: {},
      execArgv: [],
    })
    const poolWorker: PoolWorker = { worker, isReady: false, currentRule, job: undefined, timeLimit: undefined }
    worker.on('message', (message: Outcome | 'ready') => this.#receive(poolWorker, message))
    worker.on('error', () => this.#fail(poolWorker))
    worker.on('exit', () => this.#fail(poolWorker))
    worker.unref()
    this.#workers.add(poolWorker)
    return poolWorker
  }

  #receive(poolWorker: PoolWorker, message: Outcome | 'ready'): void {
    // The time limit does not include the start of a thread.
    if (message === 'ready') {
      poolWorker.isReady = true
      return this.#startTimeLimit(poolWorker)
    }
    this.#release(poolWorker)?.resolve(message)
    this.#runNext()
  }

  #startTimeLimit(poolWorker: PoolWorker): void {
    clearTimeout(poolWorker.timeLimit)
    if (!poolWorker.job) return
    const limitMs = poolWorker.isReady ? this.#timeLimitMs : startLimitMs
    poolWorker.timeLimit = setTimeout(() => this.#fail(poolWorker), limitMs)
  }

  /** Ends the job of a thread. @returns the job, to be resolved or rejected. */
  #release(poolWorker: PoolWorker): Job | undefined {
    const { job } = poolWorker
    clearTimeout(poolWorker.timeLimit)
    poolWorker.job = undefined
    poolWorker.worker.unref()
    return job
  }

  /** Refuses the request of a thread that ended for any reason, because its text was not checked. */
  #fail(poolWorker: PoolWorker): void {
    this.#workers.delete(poolWorker)
    const job = this.#release(poolWorker)
    job?.resolve(blockedResult(job.task.rules[Atomics.load(poolWorker.currentRule, 0)]!, 'failed'))
    void poolWorker.worker.terminate()
    this.#runNext()
  }
}

/** @throws Fault `rate_limited` if a key has too many waiting scans. A single request is always accepted. */
function requireQueueSpace(waitingJobs: readonly Job[], newBytes: number): void {
  if (waitingJobs.length === 0) return
  const bytes = waitingJobs.reduce((sum, job) => sum + job.bytes, newBytes)
  if (waitingJobs.length < maxQueued.jobs && bytes <= maxQueued.bytes) return
  throw new Fault(
    'rate_limited',
    `${waitingJobs.length} requests of this key already wait for content filters, the maximum. Send this one again when some of them have ended.`,
    { retryAfterSeconds },
  )
}
