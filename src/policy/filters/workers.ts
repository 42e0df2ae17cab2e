import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { DisconnectSignal } from '#platform/async/disconnect-signal.ts'
import { FairQueue, type Requester } from '#platform/async/limits/fair-queue.ts'
import { Fault } from '#platform/core/fault.ts'
import { type BlockedResult, blockedResult, type FilteredResult } from './filter-bodies.ts'
import type { AllMatches } from './find-all-matches.ts'
import type { Rule } from './rules.ts'
import { estimateBytes } from './scan-cost.ts'

/** The work of a thread: filter the bodies of a request, or find all matches in a text. */
export type Task = { rules: readonly Rule[] } & ({ bodies: Record<string, object> } | { text: string })

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
export type Workers = {
  filter: (
    rules: readonly Rule[],
    bodies: Record<string, object>,
    request: ScanRequest,
  ) => Promise<BlockedResult | FilteredResult>
  findAll: (rules: readonly Rule[], text: string, request: ScanRequest) => Promise<BlockedResult | AllMatches>
  close: () => Promise<void>
}

/**
 * @param options.timeLimitMs the time limit for one request. After it, the current rule counts as failed, and the
 * thread ends.
 */
export function createWorkers(options: { timeLimitMs: number }): Workers {
  const maxWorkers = Math.max(2, Math.min(4, availableParallelism()))
  /** Reserves one thread for the other workspaces, so that they do not wait for a long scan of this one. */
  const maxPerWorkspace = maxWorkers - 1
  const workers = new Set<PoolWorker>()
  const queue = new FairQueue<Job>()

  function startWorker(): PoolWorker {
    const currentRule = new Int32Array(new SharedArrayBuffer(4))
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: currentRule,
      // The thread needs neither the environment, which has credentials, nor the options of this process.
      env: {},
      execArgv: [],
    })
    const pooled: PoolWorker = { worker, isReady: false, currentRule, job: undefined, timeLimit: undefined }
    worker.on('message', (message: Outcome | 'ready') => {
      // The time limit does not include the start of a thread.
      if (message === 'ready') {
        pooled.isReady = true
        return startTimeLimit(pooled)
      }
      release(pooled)?.resolve(message)
      runNext()
    })
    worker.on('error', () => fail(pooled))
    worker.on('exit', () => fail(pooled))
    worker.unref()
    workers.add(pooled)
    return pooled
  }

  function startTimeLimit(pooled: PoolWorker): void {
    clearTimeout(pooled.timeLimit)
    if (pooled.job)
      pooled.timeLimit = setTimeout(() => fail(pooled), pooled.isReady ? options.timeLimitMs : startLimitMs)
  }

  function release(pooled: PoolWorker): Job | undefined {
    const { job } = pooled
    clearTimeout(pooled.timeLimit)
    pooled.job = undefined
    pooled.worker.unref()
    return job
  }

  /** Refuses the request of a thread that ended for any reason, because its text was not checked. */
  function fail(pooled: PoolWorker): void {
    workers.delete(pooled)
    const job = release(pooled)
    job?.resolve(blockedResult(job.task.rules[Atomics.load(pooled.currentRule, 0)]!, 'failed'))
    void pooled.worker.terminate()
    runNext()
  }

  function canRun(workspaceId: string): boolean {
    let running = 0
    for (const { job } of workers) if (job?.requester.workspaceId === workspaceId) running++
    return running < maxPerWorkspace
  }

  function runNext(): void {
    const idle = [...workers].find(({ job }) => !job)
    if (!idle && workers.size >= maxWorkers) return
    const job = queue.take(canRun)
    if (job) run(idle ?? startWorker(), job)
  }

  function run(pooled: PoolWorker, job: Job): void {
    pooled.job = job
    pooled.worker.ref()
    startTimeLimit(pooled)
    Atomics.store(pooled.currentRule, 0, 0)
    try {
      pooled.worker.postMessage(job.task)
    } catch (error) {
      release(pooled)?.reject(error)
      runNext()
    }
  }

  /** Waits for a turn, then for the result. Leaves the queue as soon as the signal aborts. */
  async function submit(task: Task, { requester, signal }: ScanRequest): Promise<Outcome> {
    const bytes = estimateBytes('text' in task ? task.text : task.bodies)
    requireQueueSpace(queue.waitingJobs(requester), bytes)
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
    const job = { task, bytes, requester, resolve, reject }
    const cancel = () => {
      if (queue.remove(job)) reject(new Fault('client_closed_request', 'The client left before the answer.'))
    }
    queue.add(job)
    if (signal?.aborted) cancel()
    else signal?.addEventListener('abort', cancel)
    runNext()
    try {
      return await promise
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  return {
    filter: (rules, bodies, request) => submit({ rules, bodies }, request) as Promise<BlockedResult | FilteredResult>,
    findAll: (rules, text, request) => submit({ rules, text }, request) as Promise<BlockedResult | AllMatches>,
    async close() {
      for (let job = queue.take(() => true); job; job = queue.take(() => true))
        job.reject(new Error('The scanner was closed.'))
      await Promise.all([...workers].map(({ worker }) => worker.terminate()))
    },
  }
}

/** @throws Fault `rate_limited` if a key has too many waiting scans. A single request is always accepted. */
function requireQueueSpace(waitingJobs: readonly Job[], newBytes: number): void {
  if (waitingJobs.length === 0) return
  const bytes = waitingJobs.reduce((sum, job) => sum + job.bytes, newBytes)
  if (waitingJobs.length < maxQueued.jobs && bytes <= maxQueued.bytes) return
  throw new Fault(
    'rate_limited',
    `${waitingJobs.length} requests of this key already wait for content filters, which is the most. Send this one again when some of them are answered.`,
    { retryAfterSeconds },
  )
}
