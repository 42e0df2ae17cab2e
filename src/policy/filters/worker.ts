import { parentPort, workerData } from 'node:worker_threads'
import { filterBodies } from './filter-bodies.ts'
import { findAllMatches } from './find-all-matches.ts'
import type { Task } from './worker-pool.ts'

/**
 * The code of a filter thread, which `worker-pool.ts` starts. It reports `ready` when its modules are loaded, and then runs one task at
 * a time.
 */

/** The index of the current rule, for the main thread, which may have to stop this one. */
const currentRule = workerData as Int32Array

parentPort!.on('message', (task: Task) => {
  const onRuleStart = (rule: number) => void Atomics.store(currentRule, 0, rule)
  const { rules } = task
  parentPort!.postMessage(
    'text' in task ? findAllMatches(rules, task.text, onRuleStart) : filterBodies(rules, task.bodies, onRuleStart),
  )
})

parentPort!.postMessage('ready')
