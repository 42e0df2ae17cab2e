import { parentPort, workerData } from 'node:worker_threads'
import { filterBodies } from './filter-bodies.ts'
import { findAll } from './find-all.ts'
import type { Task } from './workers.ts'

/** Filters off the main thread. Which rule is at work stands in shared memory, for when this thread has to be ended. */
const atWork = workerData as Int32Array

parentPort!.on('message', (task: Task) => {
  const begins = (rule: number) => void Atomics.store(atWork, 0, rule)
  const { rules } = task
  parentPort!.postMessage('text' in task ? findAll(rules, task.text, begins) : filterBodies(rules, task.bodies, begins))
})

parentPort!.postMessage('ready')
