import type { InternAddress } from '#api/server/intern-listener.ts'
import type { HostStatus, ProcessStatus } from '#api/status/process-status.ts'
import type { SettingSources } from '#platform/config/load.ts'
import type { Config } from '#platform/config/settings.ts'
import type { DatabaseCalls, NotificationCalls } from '#platform/db/sqlite/remote.ts'
import type { MetricValues } from '#platform/metrics/metric.ts'

/*
 * The primary binds the sockets of all workers to one port. Each worker has the descriptors of all of them, but accepts
 * connections only from its own, and from those of a worker that has failed until that one is replaced.
 */

/** The first message to a worker. */
export type WorkerStart = {
  /** The settings, with the data folder as an absolute path. */
  config: Config
  sources: SettingSources
  /** The descriptors of the bound sockets that this worker accepts connections from. */
  sockets: number[]
}

/**
 * @property internAddress the address of the service for interns of this host. It is served after the drain, until the interns
 * have ended.
 */
export type WorkerStop = { drain: boolean; internAddress: InternAddress | undefined }

/** The current catalogue as JSON (`Loaded` in `src/catalogue`), and the reason if a newer one was refused. */
export type CatalogueResponse = { catalogue: Uint8Array; refused?: string }

/** Calls from a worker to the primary. `DatabaseCalls` are handled only if the database is SQLite, which the primary opens. */
export type PrimaryCalls = DatabaseCalls & {
  /** @param fresh whether to first reload sources that have changed since the last load. */
  'catalogue.load': (request: { fresh: boolean }) => Promise<CatalogueResponse>
  /** The metrics page of all processes together. */
  'metrics.page': (request: null) => Promise<{ contentType: string; text: string }>
  /** Returns the status of all workers. */
  'host.status': (request: null) => Promise<HostStatus>
  /** Resolves to the folder of the console's bundle when it is built. Only available if the console is enabled. */
  'console.folder': (request: null) => Promise<string>
  /** Reports the last metrics of a worker before it ends. */
  'metrics.last': (values: MetricValues[]) => void
  /** Reports how many metered requests could not be stored when the worker ended. */
  'ledger.lost': (requests: number) => void
}

/** Calls from the primary to a worker. */
export type WorkerCalls = NotificationCalls & {
  /**
   * Resolves when the worker accepts connections.
   * @throws Error with a message for the operator, and with `userFacingErrorCode`.
   */
  'worker.start': (start: WorkerStart) => Promise<void>
  /** Sets the sockets to accept connections from, including those of workers that are not running. */
  'worker.accept': (sockets: number[]) => Promise<void>
  /** Loads the changed catalogue from the primary. */
  'worker.reloadCatalogue': (request: null) => Promise<void>
  /** Answered only while the event loop of the worker runs. */
  'worker.ping': (request: null) => void
  'worker.metrics': (request: null) => Promise<MetricValues[]>
  'worker.status': (request: null) => Promise<ProcessStatus | undefined>
  /**
   * Closes those of these sockets from which the worker does not accept connections. They were open for failed workers, and no
   * worker is replaced during shutdown.
   * @param sockets the sockets of all workers.
   */
  'worker.release': (sockets: number[]) => void
  /** Drains connections, finishes requests and ends the process. */
  'worker.stop': (request: WorkerStop) => void
  /** Ends the drain. */
  'worker.skipDrain': (request: null) => void
  /** Resolves when the last client has disconnected after the drain. */
  'worker.clientsGone': (request: null) => Promise<void>
  /** Reports that the interns of this host have ended, so that no connections of them are accepted any more. */
  'worker.internsEnded': (request: null) => void
  /** Reports that another worker has replaced this one, which ends when its clients have disconnected. */
  'worker.retire': (request: null) => void
}

/** The error code by which a worker passes a `UserFacingError` to the primary. */
export const userFacingErrorCode = 'ERR_SIGNALBOX_START'
