import { setTimeout as sleep } from 'node:timers/promises'
import { apiPrefix } from '#api/access/prefix.ts'
import { openDecisionCollector } from '#api/interns/interns.ts'
import { createSpendingReader, createTurnUsageReader } from '#api/interns/metered-turn.ts'
import { openSupervision, type Supervision } from '#api/interns/supervision.ts'
import { internAddress } from '#api/server/intern-listener.ts'
import { createMetrics, mergePages, mergeValues } from '#api/telemetry/metrics.ts'
import { ModelDiscovery } from '#catalogue/sources/discovery/model-discovery.ts'
import { listProviderNeeds, type ProviderNeeds } from '#catalogue/sources/provider-needs.ts'
import { reloadCatalogue } from '#catalogue/sources/reload.ts'
import { openVault } from '#identity/provider-keys/key-file.ts'
import type { Vault } from '#identity/provider-keys/vault.ts'
import { once } from '#platform/async/once.ts'
import { withBrackets } from '#platform/net/addresses/host-name.ts'
import { createOutgoingFetch } from '#platform/net/outgoing.ts'
import type { Handlers } from '#platform/process/rpc.ts'
import { createScanner } from '#policy/filters/scanner.ts'
import { createGuardrailCache } from '#policy/guardrails/guardrail-cache.ts'
import { finishFirstStart } from '../first-start.ts'
import { createLoadLogger } from '../open/models.ts'
import type { OpenContext, Parts } from '../open/parts.ts'
import { type OpenStore, openStore } from '../open/store.ts'
import { openUpkeep } from '../open/upkeep.ts'
import { openWebhooks } from '../open/webhooks.ts'
import { consoleUrl, internsEndMs, openMetricsPort, prepareConsole, requirePorts, type Service } from '../start.ts'
import type { PrimaryCalls } from './calls.ts'
import { CatalogueSource } from './catalogue-source.ts'
import { Fleet } from './fleet.ts'
import { bindSockets, type Sockets } from './sockets.ts'
import { spawnWorker, type WorkerProcess } from './worker-process.ts'

/** The service in several processes, with the interface of a single process. */
export type WorkersService = Service & {
  /** Replaces all workers, one after the other, without losing a request. */
  replaceWorkers: () => Promise<void>
}

/** The file that a worker runs; `writeLog` takes whole lines of JSON that workers log. */
type WorkerEnvironment = { script: string; writeLog: (lines: string) => void }

/** After the grace time of its requests, a worker has this long to report its last metrics. */
const exitGraceMs = 10_000

/**
 * Opens the store and starts the workers, which answer requests on one port. Does the work that must happen once: owns
 * the embedded database, manages interns, reads the catalogue and reports the metrics of all workers.
 * @throws UserFacingError with one sentence. All opened parts are closed again.
 */
export async function startWorkers(
  parts: Parts,
  workerCount: number,
  environment: WorkerEnvironment,
): Promise<WorkersService> {
  const { config, log, newId, stopping } = parts
  await requirePorts(config)
  await using cleanup = new AsyncDisposableStack()
  const primary = await openPrimary(parts, cleanup)
  const { store, vault, catalogue, supervision, listProviders } = primary
  const sockets = await bindSockets(config, workerCount)
  cleanup.defer(sockets.close)
  const url = `http://${withBrackets(config.host)}:${sockets.port}${apiPrefix}`
  const { fleet, readMetrics, lostRequestCount } = createFleet(primary, sockets, environment)
  catalogue.onLateModelList(() => void fleet.callAll(({ rpc }) => rpc.call('worker.reloadCatalogue', null)))
  const metricsUrl = await openMetricsPort({ config, log, metrics: { read: readMetrics } }, cleanup)
  /** False after a stop without a drain, which also ends a drain that has started. */
  let canDrain = true
  cleanup.defer(() => {
    // Each worker has its own descriptors of these sockets.
    sockets.close()
    return closeGracefully(fleet, supervision, { ...config, drain_ms: canDrain ? config.drain_ms : 0, url })
  })
  await fleet.start()
  log.info({ workers: workerCount }, 'accepting connections')
  await supervision.start(url)
  prepareConsole({ console: store.console, log })
  const deps = { db: store.db, now: store.now, newId }
  const firstStart = await finishFirstStart({ ...deps, config, vault, supervision, stopping }, store.firstKeys)
  const running = cleanup.move()
  const end = once(() => running.disposeAsync())
  const source = {
    report: () => catalogue.report(),
    reload: () => catalogue.reload(),
    // Differs from the ids of the workers, which therefore reload the catalogue when the primary announces a change.
    notificationSenderId: newId(),
  }
  return {
    ...firstStart,
    url,
    consoleUrl: consoleUrl(config, url),
    metricsUrl,
    providers: listProviders(),
    reloadCatalogue: () => reloadCatalogue({ ...deps, catalogue: source }),
    replaceWorkers: () => fleet.replaceAll(),
    lostRequestCount,
    async stop({ drain = false } = {}) {
      canDrain &&= drain
      if (!drain) void fleet.skipDrain()
      await end()
    },
  }
}

type Primary = Awaited<ReturnType<typeof openPrimary>>

/** Opens everything that exists once on a host, except the workers. */
async function openPrimary(parts: Parts, cleanup: AsyncDisposableStack) {
  const { config, log, variable } = parts
  const metrics = createMetrics()
  // Workers trace the completions that they answer.
  const traces = { isEnabled: false, record: () => {}, close: async () => {} }
  const store = await openStore({ parts, metrics, traces, cleanup })
  const { db, settings, now } = store
  const context: OpenContext = { parts: { ...parts, now }, metrics, traces, cleanup }
  // Creates the encryption key before the workers need it.
  const vault = await openVault({ db, settings })
  const logReport = createLoadLogger(config, log)
  let providers: ProviderNeeds[] | undefined
  const catalogue = await CatalogueSource.open({
    settings,
    discovery: new ModelDiscovery({ readVariable: variable, fetch: createOutgoingFetch(config) }),
    onLoad(report, data) {
      logReport(report, data)
      providers = listProviderNeeds(data, (name) => Boolean(variable(name)?.trim()))
    },
  })
  openUpkeep(context, db)
  openWebhooks(context, { db, vault })
  const supervision = openPrimarySupervision(context, store, vault)
  return { parts, metrics, store, vault, catalogue, supervision, listProviders: () => providers }
}

/** The primary manages interns, so it also receives the questions of their background runs. */
function openPrimarySupervision({ parts, metrics, cleanup }: OpenContext, store: OpenStore, vault: Vault): Supervision {
  const { db, settings } = store
  const guardrailCache = createGuardrailCache({ db, allowStale: store.allowStale })
  cleanup.defer(guardrailCache.close)
  const scanner = createScanner()
  cleanup.defer(scanner.close)
  // The workers write metered requests.
  const meters = { db, ledger: { flush: async () => {} }, isSingleWriter: false }
  return openSupervision({
    ...parts,
    dataDir: settings.data_dir,
    db,
    vault,
    readMeteredUsage: createTurnUsageReader(meters),
    readSpending: createSpendingReader(meters),
    observeRunEnd: metrics.observeInternRun,
    decisions: openDecisionCollector({ db, now: parts.now, guardrailCache, scanner }),
  })
}

/** Creates the fleet, which starts no worker before `start`. */
function createFleet(
  { parts, metrics, store, catalogue }: Primary,
  sockets: Sockets,
  { script, writeLog }: WorkerEnvironment,
) {
  const { config, settingSources, log } = parts
  const readMetrics = async () => mergePages([await metrics.values(), ...(await fleet.readMetrics())])
  let lostRequests = 0
  const onLost = (requests: number) => {
    lostRequests += requests
  }
  const fleet: Fleet = new Fleet({
    sockets: sockets.socketsByWorker,
    start: { config: store.settings, sources: settingSources },
    spawn: (workerSockets, handlers) => spawnWorker({ script, sockets: workerSockets, handlers, onLines: writeLog }),
    serve: (worker) =>
      handleCalls(store, catalogue, { page: readMetrics, statuses: () => fleet.readStatuses(), onLost }, worker),
    merge: mergeValues,
    onRestart: metrics.observeWorkers(() => fleet.count),
    silenceMs: config.worker_silence_ms,
    log,
  })
  return { fleet, readMetrics, lostRequestCount: () => lostRequests }
}

type WorkerRequests = {
  page: PrimaryCalls['metrics.page']
  statuses: PrimaryCalls['host.status']
  onLost: PrimaryCalls['ledger.lost']
}

/** Handles the calls of a worker. */
function handleCalls(
  { db, console }: OpenStore,
  catalogue: CatalogueSource,
  { page, statuses, onLost }: WorkerRequests,
  worker: () => WorkerProcess,
): { handlers: Handlers; end: () => Promise<unknown> } {
  const session = db.openSession?.((announced) => worker().rpc.call('db.announced', announced))
  return {
    handlers: {
      ...(session && { 'db.run': session.run, 'db.announce': session.publish }),
      'catalogue.load': (request: { fresh: boolean }) => catalogue.load(request),
      'metrics.page': page,
      'host.status': statuses,
      'ledger.lost': onLost,
      ...(console && { 'console.folder': console }),
    },
    end: async () => session?.end(),
  }
}

type CloseOptions = { drain_ms: number; shutdown_grace_ms: number; url: string }

/** Closes like a single process: requests in flight can finish within the grace time; interns end after them. */
async function closeGracefully(
  fleet: Fleet,
  { supervisor }: Supervision,
  { drain_ms, shutdown_grace_ms, url }: CloseOptions,
): Promise<void> {
  const stopTimeoutMs = drain_ms + shutdown_grace_ms
  // Agents of interns on this host call models through the stopping workers until their turns have ended.
  const address = supervisor.isSupervisingAny() ? internAddress(url) : undefined
  const closing = fleet.stop({ drain: drain_ms > 0, withinMs: stopTimeoutMs + exitGraceMs, internAddress: address })
  const waits = new AbortController()
  const graceOver = sleep(Math.max(0, stopTimeoutMs - internsEndMs), undefined, { signal: waits.signal }).catch(
    () => {},
  )
  if (address) {
    const turnsEnded = fleet.waitForClients().then(() => supervisor.waitForTurns(waits.signal))
    await Promise.race([turnsEnded, graceOver])
    await supervisor.stop()
    await fleet.endInterns()
  }
  await Promise.race([closing, graceOver])
  waits.abort()
  await Promise.all([closing, supervisor.stop()])
}
