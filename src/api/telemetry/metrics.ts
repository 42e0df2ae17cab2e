import type { Snapshot } from '#catalogue/index/snapshot.ts'
import type { CircuitReport } from '#gateway/plan/circuits.ts'
import type { EndReason } from '#interns/contract/run.ts'
import { once } from '#platform/async/once.ts'
import { sharePending } from '#platform/async/share-pending.ts'
import type { DatabaseListeners } from '#platform/db/db.ts'
import { databaseFailures, findDatabaseFailure } from '#platform/db/maintenance/failures.ts'
import type { FinishedRequest } from '#platform/http/response/request-tracking.ts'
import {
  createCounter,
  createGauge,
  createHistogram,
  createPlainGauge,
  type Metric,
  type MetricValues,
} from '#platform/metrics/metric.ts'
import { lazyModules } from '#platform/process/lazy-modules.ts'
import type { Generation } from '#spend/ledger/generation.ts'
import type { Backlog } from '#webhooks/delivery-backlog.ts'
import { apiPrefix } from '../access/prefix.ts'
import { circuitMetrics } from './circuit-metrics.ts'
import { completionMetrics } from './completion-metrics.ts'
import { contentMetrics } from './content-metrics.ts'
import { internRunMetrics } from './intern-run-metrics.ts'
import { refusalMetrics } from './refusal-metrics.ts'
import { type ServerState, stateMetrics } from './state-metrics.ts'
import { backlogMetrics, webhookMetrics } from './webhook-metrics.ts'

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

const requestSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
const querySeconds = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

/**
 * Series that alerts watch. They start at 0: Prometheus cannot see an increase of a series that did not exist before.
 */
const answerPaths = [
  '/chat/completions',
  '/responses',
  '/messages',
  '/interns/:internId/chat/completions',
  '/interns/:internId/sessions/:sessionId/chat/completions',
]
const initialSeries = [
  ...answerPaths.flatMap((path) => ['200', '502', '503', '504'].map((status) => ['POST', path, status] as const)),
  ...['/activity', '/health', '/health/ready'].flatMap((path) =>
    ['200', '503'].map((status) => ['GET', path, status] as const),
  ),
]

export function createMetrics(): Metrics {
  const requests = createHistogram({
    name: 'signalbox_http_request_duration_seconds',
    help: 'Requests and their duration, by route and status.',
    labels: ['method', 'route', 'status'],
    buckets: requestSeconds,
  })
  const queries = createHistogram({
    name: 'signalbox_db_query_duration_seconds',
    help: 'Database statements and their duration.',
    labels: ['outcome'],
    buckets: querySeconds,
  })
  const queryFailures = createCounter({
    name: 'signalbox_db_query_failures_total',
    help: 'Failed statements, by reason: unreachable, too_slow, read_only, or other (an error in the statement).',
    labels: ['cause'],
  })
  const brokenConnections = createCounter({
    name: 'signalbox_db_broken_connections_total',
    help: 'Database connections that broke or were found dead.',
    labels: [],
  })
  for (const [method, route, status] of initialSeries) requests.start(method, apiPrefix + route, status)
  for (const outcome of ['ok', 'failed']) queries.start(outcome)
  for (const cause of [...databaseFailures, 'other']) queryFailures.start(cause)
  brokenConnections.start()
  const outages = createCounter({
    name: 'signalbox_db_outages_total',
    help: 'Number of times that the database did not answer for database_silence_ms.',
    labels: [],
  })
  outages.start()
  const refusals = refusalMetrics()
  const webhooks = webhookMetrics()
  const internRuns = internRunMetrics()
  const completions = completionMetrics()
  const circuits = circuitMetrics()
  const metrics: Metric[] = [
    requests,
    queries,
    queryFailures,
    brokenConnections,
    outages,
    ...refusals.all,
    ...webhooks.all,
    ...internRuns.all,
    ...completions.all,
    circuits.openings,
  ]
  const catchUps: (() => void)[] = []
  const refreshedRegister = () => {
    for (const catchUp of catchUps) catchUp()
    return toRegister(metrics)
  }
  return {
    observeRequest: ({ method, route, status, seconds }) => requests.observe(seconds, method, route, String(status)),
    observeCompletion: completions.observe,
    observeUnmetered: completions.observeUnmetered,
    observeQuery(seconds, outcome, error) {
      queries.observe(seconds, outcome)
      if (outcome === 'failed') queryFailures.add(findDatabaseFailure(error) ?? 'other')
    },
    observeBrokenConnection: () => brokenConnections.add(),
    observeDatabaseOutage: () => outages.add(),
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
      const help = 'Workers that were started to replace one that died.'
      const restarts = createCounter({ name: 'signalbox_worker_restarts_total', help, labels: [] })
      restarts.start()
      metrics.push(
        createPlainGauge({ name: 'signalbox_workers', help: 'Processes that answer requests.' }, count),
        restarts,
      )
      return () => restarts.add()
    },
    beforeRead: (catchUp) => void catchUps.push(catchUp),
    observeCatalogue(current) {
      const help = 'Models, endpoints and providers in the catalogue.'
      metrics.push(
        createGauge({ name: 'signalbox_catalogue_size', help, label: 'of', aggregator: 'max' }, () =>
          catalogueSizes(current()),
        ),
      )
    },
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

const catalogueSizes = ({ models, providers }: Pick<Snapshot, 'models' | 'providers'>) => ({
  models: models.length,
  endpoints: models.reduce((sum, model) => sum + model.endpoints.length, 0),
  providers: providers.length,
})
