import { createApi } from '#api/server/server.ts'
import type { ProcessStatus } from '#api/status/process-status.ts'
import { once } from '#platform/async/once.ts'
import { waitAtMost } from '#platform/async/wait-at-most.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import { openDb } from '#platform/db/open.ts'
import { allowStaleWhileUnavailable } from '#platform/db/rows/stale-reads.ts'
import { type NotificationCalls, openRemoteDatabase } from '#platform/db/sqlite/remote.ts'
import { type Acceptor, createAcceptor } from '#platform/http/acceptor.ts'
import { createShutdown } from '#platform/http/shutdown.ts'
import type { MetricValues } from '#platform/metrics/metric.ts'
import type { Log } from '#platform/process/log.ts'
import { createRpc, type Handlers, type Port, type Rpc } from '#platform/process/rpc.ts'
import { openDeps } from '../open/deps.ts'
import type { OpenContext, Parts } from '../open/parts.ts'
import { createCorrectedClock, createDatabaseListeners, type OpenStore } from '../open/store.ts'
import { type PrimaryCalls, userFacingErrorCode, type WorkerCalls, type WorkerStart, type WorkerStop } from './calls.ts'
import { readCatalogueResponse } from './catalogue-source.ts'
import { createWorkerClosing, type WorkerClosing } from './worker-closing.ts'

type WorkerDeps = Pick<Parts, 'now' | 'newId' | 'variable'> & {
  port: Port
  createLog: (config: WorkerStart['config']) => Log
  /** Logs uncaught errors. `end` is called if the process must end because of one. */
  logUncaught: (uncaught: { log: Log; end: () => unknown }) => void
  /** Ends the process. */
  exit: (code: number) => void
}

/** The longest time that connections of a replaced worker stay open: as long as any response takes. */
const retireMs = 15 * 60_000

const immediateStop: WorkerStop = { drain: false, internAddress: undefined }

/** A server process that the primary of its host started and configures. */
type Worker = {
  acceptor: Acceptor
  log: Log
  reloadCatalogue: () => Promise<void>
  metrics: () => Promise<MetricValues[]>
  status: () => Promise<ProcessStatus | undefined>
  closing: WorkerClosing
  stop: (request: WorkerStop) => Promise<void>
  skipDrain: () => void
  retire: () => Promise<void>
}

/** Runs a worker that follows the primary's calls until one of the two ends. */
export function runWorker(deps: WorkerDeps): void {
  let started: Worker | undefined
  const endWorker = async (work: (worker: Worker) => Promise<void>, code = 0) => {
    try {
      if (started) await work(started)
      deps.exit(code)
    } catch (error) {
      started?.log.error({ err: error }, 'the worker did not end cleanly')
      deps.exit(1)
    }
  }
  const workerCalls: Omit<WorkerCalls, keyof NotificationCalls> = {
    async 'worker.start'(start) {
      try {
        started = await startWorker(deps, start, rpc, handlers)
        deps.logUncaught({ log: started.log, end: once(() => endWorker((worker) => worker.stop(immediateStop), 1)) })
      } catch (error) {
        throw error instanceof UserFacingError ? Object.assign(error, { code: userFacingErrorCode }) : error
      }
    },
    // The primary assigns sockets only after `worker.start` has resolved.
    'worker.accept': (sockets) => started!.acceptor.accept(sockets),
    'worker.reloadCatalogue': async () => started?.reloadCatalogue(),
    'worker.ping': () => {},
    'worker.metrics': async () => started?.metrics() ?? [],
    'worker.status': async () => started?.status(),
    'worker.release': (sockets) => started?.acceptor.release(sockets),
    'worker.stop': (request) => void endWorker((worker) => worker.stop(request)),
    'worker.skipDrain': () => started?.skipDrain(),
    'worker.clientsGone': async () => started?.closing.clientsGone,
    'worker.internsEnded': () => started?.closing.endInterns(),
    'worker.retire': () => void endWorker((worker) => worker.retire()),
  }
  /** `borrowStore` adds the handlers of a remote database, which is opened after the connection. */
  const handlers: Handlers = { ...workerCalls }
  const rpc = createRpc<PrimaryCalls>(deps.port, handlers)
  // Rows that are not in the database yet are written to files for the next start.
  rpc.onClose(() => void endWorker((worker) => worker.stop(immediateStop)))
}

async function startWorker(
  deps: WorkerDeps,
  { config, sources, sockets }: WorkerStart,
  rpc: Rpc<PrimaryCalls>,
  handlers: Handlers,
): Promise<Worker> {
  const { now, newId, variable } = deps
  await using cleanup = new AsyncDisposableStack()
  const shutdown = createShutdown()
  const parts: Parts = { config, settingSources: sources, log: deps.createLog(config), now, newId, variable }
  const borrow = (context: OpenContext) => borrowStore(context, rpc, handlers)
  const { deps: apiDeps, ledger } = await openDeps(parts, shutdown.isShuttingDown, cleanup, borrow)
  const metrics = { ...apiDeps.metrics, read: () => rpc.call('metrics.page', null) }
  const app = await createApi({ ...apiDeps, metrics, hostStatus: () => rpc.call('host.status', null) })
  const acceptor = createAcceptor(app.server)
  const closing = createWorkerClosing(app, acceptor, shutdown, config.shutdown_grace_ms)
  cleanup.defer(closing.close)
  await acceptor.accept(sockets)
  const running = cleanup.move()
  const end = once(async () => {
    await running.disposeAsync()
    if (ledger.lostRequestCount() > 0) await rpc.call('ledger.lost', ledger.lostRequestCount())
  })
  return {
    acceptor,
    log: parts.log,
    reloadCatalogue: async () => void (await apiDeps.catalogue.reload()),
    metrics: apiDeps.metrics.values,
    status: async () => (await apiDeps.hostStatus()).processes[0],
    closing,
    skipDrain: shutdown.skipDrain,
    async stop({ drain, internAddress }) {
      if (drain) {
        await shutdown.drain(app.server, config.drain_ms)
        parts.log.info({ drainMs: config.drain_ms }, 'drained: no new connections are accepted')
      }
      if (internAddress) await closing.serveInterns(internAddress)
      await end()
    },
    async retire() {
      await waitAtMost(retireMs, shutdown.stopAccepting(app.server, acceptor))
      await end()
      await rpc.call('metrics.last', await apiDeps.metrics.values())
    },
  }
}

/** Opens the store of the primary. Postgres is opened by each process itself. */
async function borrowStore(context: OpenContext, rpc: Rpc<PrimaryCalls>, handlers: Handlers): Promise<OpenStore> {
  const { config } = context.parts
  const watch = createDatabaseListeners(context)
  const loadFromPrimary = async (request: { fresh: boolean }) =>
    readCatalogueResponse(await rpc.call('catalogue.load', request))
  const firstLoad = loadFromPrimary({ fresh: false })
  // A failure is reported when the catalogue is opened. Until then, Node must not treat the rejection as unhandled.
  firstLoad.catch(() => {})
  const remote = config.database_url ? undefined : openRemoteDatabase(() => rpc, watch)
  Object.assign(handlers, remote?.handlers)
  const db = remote?.db ?? (await openDb(config, watch))
  context.cleanup.defer(db.close)
  return {
    settings: config,
    db,
    now: createCorrectedClock(db, context.parts.now),
    firstKeys: undefined,
    allowStale: allowStaleWhileUnavailable({ db }, config.stale_keys_ms),
    catalogue: { firstLoad, load: () => loadFromPrimary({ fresh: true }), discovery: undefined },
    console: config.console ? () => rpc.call('console.folder', null) : undefined,
    hasPrimary: true,
  }
}
