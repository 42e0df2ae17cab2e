import type { DatabaseListeners } from '#platform/db/db.ts'
import { databaseFailures, findDatabaseFailure } from '#platform/db/maintenance/failures.ts'
import { createCounter, createHistogram, type Metric } from '#platform/metrics/metric.ts'

const querySeconds = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

/** Database statements, broken connections and outages. */
export function databaseMetrics(): {
  all: Metric[]
  observeQuery: NonNullable<DatabaseListeners['onQuery']>
  observeBrokenConnection: () => void
  observeOutage: () => void
} {
  const queries = createHistogram({
    name: 'signalbox_db_query_duration_seconds',
    help: 'Database statements and their duration.',
    labels: ['outcome'],
    buckets: querySeconds,
  })
  const failures = createCounter({
    name: 'signalbox_db_query_failures_total',
    help: 'Failed statements, by reason: unreachable, too_slow, read_only, or other (an error in the statement).',
    labels: ['cause'],
  })
  const brokenConnections = createCounter({
    name: 'signalbox_db_broken_connections_total',
    help: 'Database connections that broke or were found dead.',
    labels: [],
  })
  const outages = createCounter({
    name: 'signalbox_db_outages_total',
    help: 'Number of times that the database did not respond for database_silence_ms.',
    labels: [],
  })
  for (const outcome of ['ok', 'failed']) queries.start(outcome)
  for (const cause of [...databaseFailures, 'other']) failures.start(cause)
  brokenConnections.start()
  outages.start()
  return {
    all: [queries, failures, brokenConnections, outages],
    observeQuery(seconds, outcome, error) {
      queries.observe(seconds, outcome)
      if (outcome === 'failed') failures.add(findDatabaseFailure(error) ?? 'other')
    },
    observeBrokenConnection: () => brokenConnections.add(),
    observeOutage: () => outages.add(),
  }
}
