import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Snapshot } from '#catalogue/snapshot.ts'
import type { Watch } from '#db/db.ts'
import type { FinishedRequest } from '#http/finished.ts'
import { once } from '#lib/once.ts'
import type { Generation } from '#usage/generation.ts'
import { completionMetrics } from './completion-metrics.ts'

/** What Prometheus may ask of this server. */
export type Metrics = {
  observeRequest: (request: Omit<FinishedRequest, 'id'>) => void
  observeCompletion: (generation: Generation) => void
  observeQuery: NonNullable<Watch['onQuery']>
  observeCatalogue: (current: () => Pick<Snapshot, 'models' | 'providers'>) => void
  read: () => Promise<{ contentType: string; text: string }>
}

/** Memory, processor time, garbage collection and event loop delay are the process's, however many servers it holds. */
const processMetrics = once(() => {
  const register = new Registry()
  collectDefaultMetrics({ register })
  return register
})

const requestSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
const querySeconds = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

export function createMetrics(): Metrics {
  const own = new Registry()
  const registers = [own]
  const requests = new Histogram({
    name: 'signalbox_http_request_duration_seconds',
    help: 'Requests by route and status, and how long they took.',
    labelNames: ['method', 'route', 'status'],
    buckets: requestSeconds,
    registers,
  })
  const queries = new Histogram({
    name: 'signalbox_db_query_duration_seconds',
    help: 'Statements sent to the database, and how long they took.',
    labelNames: ['outcome'],
    buckets: querySeconds,
    registers,
  })
  /** Finding the series by its labels costs more than counting. Routes are patterns, so there are few. */
  const series = new Map<string, ReturnType<typeof requests.labels>>()
  const all = Registry.merge([processMetrics(), own])
  return {
    observeRequest: ({ method, route, status, seconds }) =>
      series
        .getOrInsertComputed(`${method} ${status} ${route}`, () => requests.labels(method, route, String(status)))
        .observe(seconds),
    observeCompletion: completionMetrics(own),
    observeQuery: (seconds, outcome) => queries.labels(outcome).observe(seconds),
    observeCatalogue(current) {
      const size = new Gauge({
        name: 'signalbox_catalogue_size',
        help: 'How many models, endpoints and providers the catalogue holds.',
        labelNames: ['of'],
        registers,
        collect() {
          const { models, providers } = current()
          size.set({ of: 'models' }, models.length)
          size.set(
            { of: 'endpoints' },
            models.reduce((sum, model) => sum + model.endpoints.length, 0),
          )
          size.set({ of: 'providers' }, providers.length)
        },
      })
    },
    read: async () => ({ contentType: all.contentType, text: await Registry.merge([processMetrics(), own]).metrics() }),
  }
}
