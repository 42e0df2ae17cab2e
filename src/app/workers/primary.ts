import { setTimeout as sleep } from 'node:timers/promises'
import { requireFreePorts } from '#api/access/address.ts'
import { apiPrefix } from '#api/access/prefix.ts'
import { openDecisionCollector } from '#api/interns/interns.ts'
import { createSpendingReader, createTurnUsageReader } from '#api/interns/metered-turn.ts'
import { createDemoIntern, openSupervision, type Supervision } from '#api/interns/supervision.ts'
import { internAddress } from '#api/server/intern-listener.ts'
import { createMetrics, mergePages, mergeValues } from '#api/telemetry/metrics.ts'
import { createDiscovery } from '#catalogue/sources/discovery/discover.ts'
import { listProviderNeeds, type ProviderNeeds } from '#catalogue/sources/provider-needs.ts'
import { reloadCatalogue } from '#catalogue/sources/reload.ts'
import { createKeyReader } from '#identity/accounts/keys/read-keys.ts'
import { hashOf } from '#identity/accounts/keys/secret.ts'
import { openVault } from '#identity/provider-keys/key-file.ts'
import { once } from '#platform/async/once.ts'
import { withBrackets } from '#platform/net/addresses/host-name.ts'
import { createOutgoingFetch } from '#platform/net/outgoing.ts'
import type { Handlers } from '#platform/process/rpc.ts'
import { createScanner } from '#policy/filters/scanner.ts'
import { createGuardrailCache } from '#policy/guardrails/guardrail-cache.ts'
import { logLoad } from '../open/models.ts'
import type { OpenContext, Parts } from '../open/parts.ts'
import { type OpenStore, openStore } from '../open/store.ts'
import { openUpkeep } from '../open/upkeep.ts'
import { openWebhooks } from '../open/webhooks.ts'
import {
  consoleUrl,
  firstSignIn,
  generatedKeys,
  internsEndMs,
  openMetricsPort,
  prepareConsole,
  type Service,
} from '../start.ts'
import type { PrimaryCalls } from './calls.ts'
import { type CatalogueSource, openCatalogueSource } from './catalogue-source.ts'
import { Fleet } from './fleet.ts'
import { bindSockets } from './sockets.ts'
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
 * @throws StartupError with one sentence. All opened parts are closed again.
 */
export async function startWorkers(
  parts: Parts,
  workers: number,
  { script, writeLog }: WorkerEnvironment,
): Promise<WorkersService> {
  const { config, log, newId, variable } = parts
  const { host, port, metrics_port } = config
  await requireFreePorts({ PORT: { host, port }, ...(metrics_port && { METRICS_PORT: { host, port: metrics_port } }) })
  await using cleanup = new AsyncDisposableStack()
  const metrics = createMetrics()
  // Workers trace the completions that they answer.
  const traces = { isEnabled: false, record: () => {}, close: async () => {} }
  const store = await openStore({ parts, metrics, traces, cleanup })
  const { db, settings, firstKeys, now } = store
  const openContext: OpenContext = { parts: { ...parts, now }, metrics, traces, cleanup }
  // Creates the encryption key before the workers need it.
  const vault = await openVault({ db, settings })
  const logReport = logLoad(config, log)
  let providers: ProviderNeeds[] | undefined
  /** Does nothing until the fleet exists: workers that start later load the current catalogue. */
  let reloadInWorkers = () => {}
  const catalogue = await openCatalogueSource({
    settings,
    discover: createDiscovery({ readVariable: variable, fetch: createOutgoingFetch(config) }),
    onLoad(report, data) {
      logReport(report, data)
      providers = listProviderNeeds(data, (name) => Boolean(variable(name)?.trim()))
    },
    onLateModelList: () => reloadInWorkers(),
  })
  openUpkeep(openContext, db)
  openWebhooks(openContext, { db, vault })
  // The workers write metered requests.
  const meters = { db, ledger: { flush: async () => {} }, isSingleWriter: false }
  // The primary manages interns, so it also receives the questions of their background runs.
  const guardrailCache = createGuardrailCache({ db, allowStale: store.allowStale })
  cleanup.defer(guardrailCache.close)
  const scanner = createScanner()
  cleanup.defer(scanner.close)
  const decisions = openDecisionCollector({ db, now, guardrailCache, scanner })
  const supervision = openSupervision({
    config,
    dataDir: settings.data_dir,
    db,
    vault,
    now,
    newId,
    log,
    variable,
    readMeteredUsage: createTurnUsageReader(meters),
    readSpending: createSpendingReader(meters),
    observeRunEnd: metrics.observeInternRun,
    decisions,
  })

  const sockets = await bindSockets({ host, port }, workers)
  cleanup.defer(sockets.close)
  const url = `http://${withBrackets(host)}:${sockets.port}${apiPrefix}`
  const readMetricsPage = async () => mergePages([await metrics.values(), ...(await fleet.figures())])
  let lost = 0
  const onLost = (requests: number) => {
    lost += requests
  }
  const fleet = new Fleet({
    sockets: sockets.socketsByWorker,
    start: { config: settings, sources: parts.settingSources, url },
    spawn: (sockets, handlers) => spawnWorker({ script, sockets, handlers, onLines: writeLog }),
    serve: (worker) =>
      handleCalls(store, catalogue, { page: readMetricsPage, statuses: () => fleet.statuses(), onLost }, worker),
    merge: mergeValues,
    onRestart: metrics.observeWorkers(() => fleet.count),
    silenceMs: config.worker_silence_ms,
    log,
  })
  reloadInWorkers = () => void fleet.callAll(({ rpc }) => rpc.call('worker.reloadCatalogue', null))
  const metricsUrl = await openMetricsPort({ config, log, metrics: { read: readMetricsPage } }, cleanup)
  /** False after a stop without a drain, which also ends a drain that has started. */
  let drains = true
  cleanup.defer(() => {
    // Each worker has its own descriptors of these sockets.
    sockets.close()
    return closeGracefully(fleet, supervision, { ...config, drain_ms: drains ? config.drain_ms : 0, url })
  })
  await fleet.start()
  log.info({ workers }, 'accepting connections')
  await supervision.start(url)
  prepareConsole({ console: store.console, log })
  const demo = firstKeys !== undefined && config.demo_intern
  if (demo) await startDemoIntern({ db, now, newId, vault }, supervision, firstKeys.apiKey, parts.stopping)
  const running = cleanup.move()
  const end = once(() => running.disposeAsync())
  // Another id than those of the workers, which therefore reload the catalogue when the primary has announced a change.
  const origin = newId()
  return {
    url,
    consoleUrl: consoleUrl(config, url),
    metricsUrl,
    firstKeys: firstKeys && generatedKeys(firstKeys, config),
    demo,
    signInToken: await firstSignIn({ db, now, newId }, firstKeys, config),
    providers,
    reloadCatalogue: () => reloadCatalogue({ db, now, newId, catalogue: { ...catalogue, origin } }),
    replaceWorkers: () => fleet.replaceAll(),
    lostRequestCount: () => lost,
    async stop({ drain = false } = {}) {
      drains &&= drain
      if (!drain) void fleet.skipDrain()
      await end()
    },
  }
}

type Answers = {
  page: PrimaryCalls['metrics.page']
  statuses: PrimaryCalls['host.status']
  onLost: PrimaryCalls['ledger.lost']
}

/** Handles the calls of a worker. */
function handleCalls(
  { db, console }: OpenStore,
  catalogue: CatalogueSource,
  { page, statuses, onLost }: Answers,
  worker: () => WorkerProcess,
): { handlers: Handlers; end: () => Promise<unknown> } {
  const session = db.lend?.((announced) => worker().rpc.call('db.announced', announced))
  return {
    handlers: {
      ...(session && { 'db.run': session.run, 'db.announce': session.publish }),
      'catalogue.load': catalogue.load,
      'metrics.page': page,
      'host.status': statuses,
      'ledger.lost': onLost,
      ...(console && { 'console.folder': console }),
    },
    end: async () => session?.end(),
  }
}

async function startDemoIntern(
  deps: Parameters<typeof createDemoIntern>[0],
  supervision: Supervision,
  apiKey: string,
  stopping: AbortSignal | undefined,
): Promise<void> {
  const hash = hashOf(apiKey)
  const owner = (await createKeyReader(deps)([hash])).get(hash)?.caller
  if (owner) await createDemoIntern(deps, supervision, owner, stopping)
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
    const turnsEnded = fleet.clientsGone().then(() => supervisor.waitForTurns(waits.signal))
    await Promise.race([turnsEnded, graceOver])
    await supervisor.stop()
    await fleet.endInterns()
  }
  await Promise.race([closing, graceOver])
  waits.abort()
  await Promise.all([closing, supervisor.stop()])
}
