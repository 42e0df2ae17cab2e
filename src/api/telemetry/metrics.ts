import type { Snapshot } from '#catalogue/index/snapshot.ts'
import type { CircuitReport } from '#gateway/plan/circuits.ts'
import type { EndReason } from '#interns/contract/run.ts'
import { once } from '#platform/async/once.ts'
import { sharePending } from '#platform/async/share-pending.ts'
import type { DatabaseListeners } from '#platform/db/db.ts'
import type { FinishedRequest } from '#platform/http/response/request-tracking.ts'
import { createPlainGauge, type Metric, type MetricValues } from '#platform/metrics/metric.ts'
import { lazyModules } from '#platform/process/lazy-modules.ts'
import type { Generation } from '#spend/ledger/generation.ts'
import type { Backlog } from '#webhooks/delivery-backlog.ts'
import { catalogueMetrics } from './metrics/catalogue-metrics.ts'
import { circuitMetrics } from './metrics/circuit-metrics.ts'
import { completionMetrics } from './metrics/completion-metrics.ts'
import { contentMetrics } from './metrics/content-metrics.ts'
import { databaseMetrics } from './metrics/database-metrics.ts'
import { internRunMetrics } from './metrics/intern-run-metrics.ts'
import { refusalMetrics } from './metrics/refusal-metrics.ts'
import { requestMetrics } from './metrics/request-metrics.ts'
import { type ServerState, stateMetrics } from './metrics/state-metrics.ts'
import { backlogMetrics, webhookMetrics } from './metrics/webhook-metrics.ts'
import { workerMetrics } from './metrics/worker-metrics.ts'

/** The metrics that Prometheus reads from this server. */
export type Metrics = {
  observeRequest: (request: Omit<FinishedRequest, 'id'>) => void
  observeCompletion: (generation: Generation) => void
  /** Counts a completion that could not be metered, or that the database refused to store. */
  observeUnmetered: () => void
  observeQuery: NonNullable<DatabaseListeners['onQuery']>
  /** Counts a database connection that broke or was found dead. */
  observeBrokenConnection: () => void
  /** Counts an outage: the database did not answer for so long that it counts as unavailable. */
  observeDatabaseOutage: () => void
  /** Counts a request that a rule refused. */
  observeRefusal: (by: { guardrail?: string; rule: string }) => void
  /** Counts an attempt to deliver to a webhook. */
  observeWebhook: (outcome: 'delivered' | 'retried' | 'failed') => void
  /** @param backlog returns the webhook deliveries that are still pending. */
  observeBacklog: (backlog: () => Backlog) => void
  /** Counts a run of an intern that ended. */
  observeInternRun: (outcome: EndReason) => void
  /** @param count returns the number of requests in flight. */
  observeRequestsInFlight: (count: () => number) => void
  observeServerState: (state: ServerState) => void
  /** @returns a function that counts stored and dropped contents of requests. */
  observeContents: (waitingBytes: () => number) => (outcome: 'kept' | 'dropped', count: number) => void
  observeCircuits: (report: () => CircuitReport[]) => void
  observeCircuitOpening: (reason: CircuitReport['reason']) => void
  /** Observes the number of running workers. @returns a function that counts the restart of a worker that died. */
  observeWorkers: (count: () => number) => () => void
  /** @param catchUp is called before each read, and counts pending observations. */
  beforeRead: (catchUp: () => void) => void
  observeCatalogue: (current: () => Pick<Snapshot, 'models' | 'providers'>) => void
  /** Renders the metrics page. */
  read: () => Promise<{ contentType: string; text: string }>
  /** Returns the metrics as values, which can be merged with those of other processes. */
  values: () => Promise<MetricValues[]>
}

/**
 * Metrics of the process: memory, CPU time, garbage collection and event loop delay. All servers of one process share
 * them. Observation starts with the first read.
 */
const processMetrics = once(() => {
  const { Registry, collectDefaultMetrics } = lazyModules.promClient()
  const register = new Registry()
  collectDefaultMetrics({ register })
  return register
})

export function createMetrics(): Metrics {
  const requests = requestMetrics()
  const database = databaseMetrics()
  const refusals = refusalMetrics()
  const webhooks = webhookMetrics()
  const internRuns = internRunMetrics()
  const completions = completionMetrics()
  const circuits = circuitMetrics()
  const metrics: Metric[] = [requests, database, refusals, webhooks, internRuns, completions].flatMap(({ all }) => all)
  metrics.push(circuits.openings)
  const catchUps: (() => void)[] = []
  const refreshedRegister = () => {
    for (const catchUp of catchUps) catchUp()
    return toRegister(metrics)
  }
  return {
    observeRequest: requests.observe,
    observeCompletion: completions.observe,
    observeUnmetered: completions.observeUnmetered,
    observeQuery: database.observeQuery,
    observeBrokenConnection: database.observeBrokenConnection,
    observeDatabaseOutage: database.observeOutage,
    observeRefusal: refusals.observe,
    observeWebhook: webhooks.observe,
    observeBacklog: (backlog) => void metrics.push(...backlogMetrics(backlog)),
    observeInternRun: internRuns.observe,
    observeRequestsInFlight(count) {
      const help = 'Requests of any kind in flight.'
      metrics.push(createPlainGauge({ name: 'signalbox_http_requests_in_flight', help }, count))
    },
    observeServerState: (state) => void metrics.push(...stateMetrics(state)),
    observeContents(waitingBytes) {
      const contents = contentMetrics(waitingBytes)
      metrics.push(...contents.all)
      return contents.add
    },
    observeCircuits: (report) => void metrics.push(...circuits.gauges(report)),
    observeCircuitOpening: (reason) => circuits.openings.add(reason),
    observeWorkers(count) {
      const workers = workerMetrics(count)
      metrics.push(...workers.all)
      return workers.addRestart
    },
    beforeRead: (catchUp) => void catchUps.push(catchUp),
    observeCatalogue: (current) => void metrics.push(...catalogueMetrics(current)),
    // Concurrent scrapes share one page: rendering takes some milliseconds of the main thread.
    read: sharePending(async () => {
      const register = refreshedRegister()
      return { contentType: register.contentType, text: await register.metrics() }
    }),
    async values() {
      const values = (await refreshedRegister().getMetricsAsJSON()) as unknown as MetricValues[]
      return values.map((metric) => (eventLoopLag.test(metric.name) ? { ...metric, aggregator: 'max' } : metric))
    },
  }
}

/** Metrics merged by maximum: alerts look for the slowest event loop, and prom-client would average them. */
const eventLoopLag = /^nodejs_eventloop_lag_/

/** Creates a register with the metrics of the process and those of this server. */
function toRegister(serverMetrics: Metric[]) {
  const { Registry } = lazyModules.promClient()
  const register = Registry.merge([processMetrics()])
  for (const metric of serverMetrics) register.registerMetric(metric as never)
  return register
}

/** Merges the metrics of several processes into one page. */
export async function mergePages(processes: readonly MetricValues[][]): Promise<{ contentType: string; text: string }> {
  const register = mergeRegisters(processes)
  return { contentType: register.contentType, text: await register.metrics() }
}

export async function mergeValues(processes: readonly MetricValues[][]): Promise<MetricValues[]> {
  return (await mergeRegisters(processes).getMetricsAsJSON()) as unknown as MetricValues[]
}

function mergeRegisters(processes: readonly MetricValues[][]) {
  return lazyModules.promClient().AggregatorRegistry.aggregate(processes as never)
}
