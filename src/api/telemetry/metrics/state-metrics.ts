import type { InternStatus } from '#interns/registry/intern.ts'
import { version } from '#platform/core/version.ts'
import type { DatabaseHealth } from '#platform/db/db.ts'
import { createGauge, createPlainGauge, type Metric } from '#platform/metrics/metric.ts'
import type { Ledger } from '#spend/metering/ledger.ts'

/** A server's state for metrics. Reading it only uses memory. */
export type ServerState = {
  database: 'sqlite' | 'postgres'
  /** The health of the database connections. */
  db: () => DatabaseHealth
  /** The correction of this server's clock to that of the database; 0 for small differences. */
  clockCorrectionMs: () => number
  ledger: Pick<Ledger, 'backlog' | 'hasRoom' | 'admissionDelayMs'>
  /** Completions and intern turns in flight. */
  responses: () => number
  /** The number of open event streams. */
  eventStreams: () => number
  /** The number of interns of this host, by status. */
  interns: () => Record<InternStatus, number>
  isShuttingDown: () => boolean
  now: () => number
}

export function stateMetrics(state: ServerState): Metric[] {
  const { database, db, clockCorrectionMs, ledger, responses, eventStreams, interns, isShuttingDown, now } = state
  const ageOf = (at: number | undefined) => (at === undefined ? 0 : Math.max(0, now() - at) / 1000)
  const gauge = (name: string, help: string, read: () => number) => createPlainGauge({ name, help }, read)
  const maxGauge = (name: string, help: string, read: () => number) =>
    createPlainGauge({ name, help, aggregator: 'max' }, read)
  const buildLabels = { version, node: process.versions.node, database }
  return [
    createPlainGauge(
      {
        name: 'signalbox_build_info',
        help: 'Version of the service and of Node.',
        labels: buildLabels,
        aggregator: 'first',
      },
      () => 1,
    ),
    maxGauge('signalbox_leaving', '1 after SIGTERM, while requests are still accepted or in flight.', () =>
      Number(isShuttingDown()),
    ),
    gauge('signalbox_answers_in_flight', 'Completions and intern turns in flight.', responses),
    gauge('signalbox_event_streams', 'Open event streams (GET /events).', eventStreams),
    ...ledgerMetrics(ledger, ageOf),
    maxGauge(
      'signalbox_db_silent_seconds',
      'Time since the last response of the database.',
      () => db().silentMs / 1000,
    ),
    maxGauge('signalbox_db_read_only', '1 while the database is read-only.', () => Number(db().readOnly)),
    createGauge(
      { name: 'signalbox_db_connections', help: 'Connections of the pool, in use and idle.', label: 'state' },
      () => ({ used: db().used, idle: db().idle }),
    ),
    gauge(
      'signalbox_db_waiting',
      'Statements that have waited for a connection for 0.25 s or more.',
      () => db().waiting,
    ),
    maxGauge(
      'signalbox_db_clock_offset_seconds',
      "The difference of this server's clock from the database's, if it is more than 1 s.",
      () => Math.abs(clockCorrectionMs()) / 1000,
    ),
    createGauge(
      { name: 'signalbox_interns', help: 'Interns of this host, by state.', label: 'state', aggregator: 'max' },
      interns,
    ),
  ]
}

function ledgerMetrics(ledger: ServerState['ledger'], ageOf: (at: number | undefined) => number): Metric[] {
  const whereLabel = { label: 'where' }
  const waiting = 'Metered requests that are not in the database yet, by location: memory or files.'
  const oldest = 'The age of the oldest of them; 0 if there is none.'
  return [
    createGauge({ name: 'signalbox_ledger_waiting', help: waiting, ...whereLabel }, () => {
      const { memory, files } = ledger.backlog()
      return { memory: memory.waiting, files: files.waiting }
    }),
    createGauge({ name: 'signalbox_ledger_oldest_seconds', help: oldest, aggregator: 'max', ...whereLabel }, () => {
      const { memory, files } = ledger.backlog()
      return { memory: ageOf(memory.oldestAt), files: ageOf(files.oldestAt) }
    }),
    createPlainGauge(
      {
        name: 'signalbox_ledger_delay_seconds',
        help: 'The delay of new completions because they are metered faster than the database stores them; 0 if there is none.',
        aggregator: 'max',
      },
      () => ledger.admissionDelayMs() / 1000,
    ),
    createPlainGauge(
      {
        name: 'signalbox_ledger_full',
        help: '1 while requests are refused because too many records are waiting.',
        aggregator: 'max',
      },
      () => Number(!ledger.hasRoom()),
    ),
  ]
}
