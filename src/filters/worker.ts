import { parentPort, workerData } from 'node:worker_threads'
import { findIn, type Wanted } from './find.ts'
import type { Leaf } from './leaves.ts'

/** Finds off the main thread. Which rule is at work stands in shared memory, for when this thread has to be ended. */
const atWork = workerData as Int32Array

parentPort!.on('message', ({ wanted, leaves }: { wanted: Wanted[]; leaves: Leaf[] }) => {
  parentPort!.postMessage(findIn(wanted, leaves, (rule) => Atomics.store(atWork, 0, rule)))
})

parentPort!.postMessage('ready')
