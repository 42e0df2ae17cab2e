import { createCounter, createPlainGauge, type Metric } from '#platform/metrics/metric.ts'

/** Running workers, and the restarts of workers that died. */
export function workerMetrics(count: () => number): { all: Metric[]; addRestart: () => void } {
  const restarts = createCounter({
    name: 'signalbox_worker_restarts_total',
    help: 'Workers that were started to replace one that died.',
    labels: [],
  })
  restarts.start()
  const workers = createPlainGauge({ name: 'signalbox_workers', help: 'Processes that answer requests.' }, count)
  return { all: [workers, restarts], addRestart: () => restarts.add() }
}
