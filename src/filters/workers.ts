import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { type Blocked, blockedBy, type Filtered } from './filter-bodies.ts'
import type { Places } from './find-all.ts'
import type { Rule } from './rules.ts'

/** What a thread is asked: to filter the bodies of a request, or to tell all places in a text. */
export type Task = { rules: readonly Rule[] } & ({ bodies: Record<string, object> } | { text: string })
type Outcome = Blocked | Filtered | Places
type Job = {
  task: Task
  done: (outcome: Outcome) => void
  failed: (error: unknown) => void
}
type PoolWorker = {
  worker: Worker
  isReady: boolean
  atWork: Int32Array
  job: Job | undefined
  limit: NodeJS.Timeout | undefined
}

const startLimitMs = 15_000

/** Threads that look through long texts, started when there is work and never holding the process. */
export type Workers = {
  filter: (rules: readonly Rule[], bodies: Record<string, object>) => Promise<Blocked | Filtered>
  findAll: (rules: readonly Rule[], text: string) => Promise<Blocked | Places>
  close: () => Promise<void>
}

/** @param timeLimitMs how long one request may be looked at; then its rule at work has failed, and the thread is ended. */
export function createWorkers(options: { timeLimitMs: number }): Workers {
  const most = Math.max(1, Math.min(4, availableParallelism() - 1))
  const hands = new Set<PoolWorker>()
  const waiting: Job[] = []

  function hire(): PoolWorker {
    const atWork = new Int32Array(new SharedArrayBuffer(4))
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: atWork, env: {}, execArgv: [] })
    const hand: PoolWorker = { worker, isReady: false, atWork, job: undefined, limit: undefined }
    worker.on('message', (message: Outcome | 'ready') => {
      // A thread takes a while to start, which is not the filters' time.
      if (message === 'ready') {
        hand.isReady = true
        return limit(hand)
      }
      settle(hand)?.done(message)
      next()
    })
    worker.on('error', () => fail(hand))
    worker.on('exit', () => fail(hand))
    worker.unref()
    hands.add(hand)
    return hand
  }

  function limit(hand: PoolWorker): void {
    clearTimeout(hand.limit)
    if (hand.job) hand.limit = setTimeout(() => fail(hand), hand.isReady ? options.timeLimitMs : startLimitMs)
  }

  function settle(hand: PoolWorker): Job | undefined {
    const { job } = hand
    clearTimeout(hand.limit)
    hand.job = undefined
    hand.worker.unref()
    return job
  }

  /** Whatever ended a thread, what it was looking at must not pass. */
  function fail(hand: PoolWorker): void {
    hands.delete(hand)
    const job = settle(hand)
    job?.done(blockedBy(job.task.rules[Atomics.load(hand.atWork, 0)]!, 'failed'))
    void hand.worker.terminate()
    next()
  }

  function next(): void {
    const hand = [...hands].find(({ job }) => !job) ?? (waiting.length > 0 && hands.size < most ? hire() : undefined)
    const job = hand && waiting.shift()
    if (!job) return
    hand.job = job
    hand.worker.ref()
    limit(hand)
    Atomics.store(hand.atWork, 0, 0)
    try {
      hand.worker.postMessage(job.task)
    } catch (error) {
      settle(hand)?.failed(error)
      next()
    }
  }

  const give = (task: Task) =>
    new Promise<Outcome>((done, failed) => {
      waiting.push({ task, done, failed })
      next()
    })

  return {
    filter: (rules, bodies) => give({ rules, bodies }) as Promise<Blocked | Filtered>,
    findAll: (rules, text) => give({ rules, text }) as Promise<Blocked | Places>,
    async close() {
      for (const { failed } of waiting.splice(0)) failed(new Error('The scanner was closed.'))
      await Promise.all([...hands].map(({ worker }) => worker.terminate()))
    },
  }
}
