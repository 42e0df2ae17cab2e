import { parentPort, workerData } from 'node:worker_threads'
import { filterBodies } from './filter-bodies.ts'
import type { Rule } from './rules.ts'

/** Filters off the main thread. Which rule is at work stands in shared memory, for when this thread has to be ended. */
const atWork = workerData as Int32Array

parentPort!.on('message', ({ rules, bodies }: { rules: Rule[]; bodies: Record<string, object> }) => {
  parentPort!.postMessage(filterBodies(rules, bodies, (rule) => Atomics.store(atWork, 0, rule)))
})

parentPort!.postMessage('ready')
