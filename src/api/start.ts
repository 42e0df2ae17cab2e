import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { bootstrap, type FirstKeys } from '#accounts/bootstrap.ts'
import { createInFlight } from '#accounts/in-flight.ts'
import { createKeyRing } from '#accounts/key-ring.ts'
import { keyReader } from '#accounts/read-keys.ts'
import type { Budget } from '#budgets/budget.ts'
import { openBudgets } from '#budgets/budgets.ts'
import { spentEarlier } from '#budgets/earlier.ts'
import { refusingWhileAway } from '#budgets/while-away.ts'
import { createCredentialsInUse } from '#byok/in-use.ts'
import { openVault } from '#byok/key-file.ts'
import { createDiscovery } from '#catalogue/discover.ts'
import { openCatalogue } from '#catalogue/holder.ts'
import type { LoadReport } from '#catalogue/load.ts'
import { reloadCatalogue } from '#catalogue/reload.ts'
import { loadRemembered } from '#catalogue/remembered.ts'
import type { Config } from '#config/settings.ts'
import { databaseClock } from '#db/clock.ts'
import { takeDataDir } from '#db/data-dir.ts'
import { openDb } from '#db/open.ts'
import { trustWhileAway } from '#db/trust.ts'
import { createScanner } from '#filters/scan.ts'
import { createInForce } from '#guardrails/in-force.ts'
import { createLeaving, type Leaving } from '#http/leaving.ts'
import { internCensus } from '#interns/census.ts'
import { once } from '#lib/once.ts'
import { isInstalled } from '#lib/program.ts'
import { createMeasures } from '#measure/measures.ts'
import { createPresetsInUse } from '#presets/in-use.ts'
import { causeOf } from '#routing/cause.ts'
import { openRouting } from '#routing/open.ts'
import type { Cause, Generation } from '#usage/generation.ts'
import { openLedger } from '#usage/ledger.ts'
import { keepPruning } from '#usage/prune.ts'
import { openSpill } from '#usage/spill.ts'
import { requireFree } from './address.ts'
import { circuitLog } from './circuit-log.ts'
import { completionLog } from './completion-log.ts'
import type { Deps } from './deps.ts'
import { type Interns, openInterns, welcomeDemo } from './interns.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { startMetricsServer } from './metrics-server.ts'
import { type ApiOptions, createApi, listen } from './server.ts'
import { openTraces, type Traces } from './traces.ts'

export type Service = {
  /** The base URL, version segment included. */
  url: string
  /** Where metrics are served without a key, if anywhere. */
  metricsUrl: string | undefined
  /** On the very first start only: the secrets that it made. One that the operator chose is told to nobody. */
  firstKeys: Partial<FirstKeys> | undefined
  /** Whether the first start made an intern to try. */
  demo: boolean
  /** Reads the catalogue's files again, as the operator. @throws Fault `conflict` when they changed nothing. */
  reloadCatalogue: () => Promise<LoadReport>
  /**
   * Finishes requests under way, within the grace time, and lets go of everything.
   * @param options.drain takes new ones for `drain_ms` before; a second call without it ends that at once.
   */
  stop: (options?: { drain?: boolean }) => Promise<void>
}

/** What interns get of the grace time to end in; before that, their streams go on as others do. */
const internsEndMs = 1_000

type Parts = Pick<Deps, 'config' | 'log' | 'now' | 'newId'> &
  ApiOptions & {
    /** An environment variable's value: the catalogue names those that hold providers' credentials. */
    variable: (name: string) => string | undefined
  }

/** How long the end waits for each of those who have something to tell the database. */
const lastWordsMs = 2000

/**
 * Opens the store, brings it up to date and answers requests.
 * @throws StartupError with one sentence; whatever was opened is closed again.
 */
export async function startService({ config, variable, log, now, newId, ...options }: Parts): Promise<Service> {
  // The first keys are shown once, by the start that made them: it must not fail for want of a port after that.
  const { host, port, metrics_port } = config
  await requireFree({ PORT: { host, port }, ...(metrics_port && { METRICS_PORT: { host, port: metrics_port } }) })
  await using opened = new AsyncDisposableStack()
  const leaving = createLeaving()
  const { isLeaving } = leaving
  const { deps, interns, firstKeys } = await openDeps({ config, variable, log, now, newId }, isLeaving, opened)
  const metricsUrl = await openMetricsPort(deps, opened)
  const app = await createApi(deps, options)
  opened.defer(() => closeGracefully(leaving, app, interns, config.shutdown_grace_ms))
  const url = await listen(app, config)
  await interns.begin(url)
  const demo = firstKeys !== undefined && config.demo_intern
  if (demo) await makeDemo(deps, interns, firstKeys)
  const running = opened.move()
  const end = once(() => running.disposeAsync())
  return {
    url,
    metricsUrl,
    firstKeys: firstKeys && madeKeys(firstKeys, config),
    demo,
    reloadCatalogue: () => reloadCatalogue(deps),
    async stop({ drain = false } = {}) {
      if (drain) await leaving.drain(app.server, config.drain_ms)
      else leaving.hurry()
      await end()
    },
  }
}

async function openDeps(
  { config, variable, log, now, newId }: Parts,
  isLeaving: Deps['isLeaving'],
  opened: AsyncDisposableStack,
) {
  const warn = (what: string) => (error: Error) => log.warn({ err: error }, what)
  const metrics = createMetrics()
  const dataDir = takeDataDir(config.data_dir, { exclusive: !config.database_url, serves: true })
  opened.defer(dataDir.release)
  const settings = { ...config, data_dir: dataDir.path }
  // Read while the database opens: the one is work, the other mostly waiting.
  const loading = loadRemembered(settings)
  loading.catch(() => {})
  const traces = await openTraces(variable, now)
  opened.defer(traces.close)
  const onQuery = traces.statement ? watchedTwice(metrics.observeQuery, traces.statement) : metrics.observeQuery
  const db = await openDb(settings, {
    onError(error) {
      metrics.observeBrokenConnection()
      warn('database connection')(error)
    },
    onUnset: (settings) => log.warn({ settings }, 'Postgres did not take these settings of a session'),
    onQuery,
  })
  opened.defer(db.close)
  const firstKeys = await bootstrap({ db, now, newId }, chosenKeys(config))
  const trust = trustWhileAway({ db }, config.stale_keys_ms)
  const keys = createKeyRing({ signals: db.signals, now, readKeys: keyReader({ db }), trust })
  opened.defer(keys.close)
  const catalogue = await openCatalogue({
    settings,
    loading,
    discover: createDiscovery({ variable }),
    signals: db.signals,
    newId,
    onLoad: tellOfSkipped(config, log),
    onError: warn('catalogue'),
  })
  opened.defer(catalogue.close)
  metrics.observeCatalogue(catalogue.current)
  const measures = await createMeasures({ db, now, newId, onError: warn('measurements were not exchanged') })
  opened.defer(() => Promise.race([measures.close(), sleep(lastWordsMs, undefined, { ref: false })]))
  measures.onRefresh(catalogue.measured)
  catalogue.measured(measures.figures())
  const inForce = createInForce({ db, now, trust })
  opened.defer(inForce.close)
  const inFlight = createInFlight({ signals: db.signals, keys })
  opened.defer(inFlight.close)
  const presets = createPresetsInUse({ db, now, trust })
  opened.defer(presets.close)
  const vault = await openVault({ db, settings })
  const ownCredentials = createCredentialsInUse({ db, now, vault, trust })
  opened.defer(ownCredentials.close)
  const lost = (error: Error) => {
    metrics.observeUnmetered()
    log.error({ err: error }, 'a completion is not metered')
  }
  const spill = await openSpill({
    folder: join(dataDir.path, 'unwritten'),
    mostBytes: config.spill_bytes,
    now,
    newId,
  })
  if (spill.waiting > 0) log.info({ requests: spill.waiting }, 'metered requests of an earlier life are written now')
  const ledger = openLedger({ db, spill, onError: warn('metered requests are not written yet'), onRefused: lost })
  opened.defer(ledger.close)
  const earlier = async (budget: Budget, sinceDay: number) => {
    // What was metered a moment ago counts too.
    await ledger.flush()
    return spentEarlier({ db }, budget, sinceDay)
  }
  const clock = databaseClock(db, now)
  const unreported = warn('budgets were not reported')
  const budgets = openBudgets({ db, clock, now, newId, spentEarlier: earlier, onError: unreported })
  // What is not reported then counts as spent, with the lease: a database that does not answer must not hold up the end.
  opened.defer(() => Promise.race([budgets.close(), sleep(lastWordsMs, undefined, { ref: false })]))
  opened.defer(keepPruning({ db, now, onError: warn('old records were not pruned') }, config.generation_retention_days))
  const hasCredential = (name: string) => Boolean(variable(name))
  const scanner = createScanner()
  opened.defer(scanner.close)
  const completions = completionLog(log)
  const tellOfCircuit = circuitLog(log)
  const countRefusal = ({ guardrailId, rule }: Cause) => {
    if (rule !== undefined) metrics.observeRefusal({ rule, ...(guardrailId && { guardrail: guardrailId }) })
  }
  const metered = (generation: Generation) => {
    ledger.record(generation)
    metrics.observeCompletion(generation)
    traces.record(generation)
    completions.completed(generation)
    if (generation.cause) countRefusal(generation.cause)
  }
  const routing = openRouting({
    config,
    catalogue,
    inForce,
    budgets: config.stale_limits === 'refuse' ? refusingWhileAway(budgets, trust) : budgets,
    scanner,
    presets,
    inFlight,
    measures,
    ownCredentials,
    ledger: { record: metered, hasRoom: ledger.hasRoom },
    tracing: traces.on,
    onUnaccounted: lost,
    onRefused(refused) {
      completions.refused(refused)
      countRefusal(refused.cause)
    },
    onCircuit(name, change) {
      if (change) metrics.observeCircuitOpening(change.reason)
      tellOfCircuit(name, change)
    },
    variable,
    now,
    newId,
  })
  opened.defer(routing.upstreams.close)
  metrics.observeCircuits(routing.circuits.report)
  const interns = openInterns({
    config,
    dataDir: dataDir.path,
    db,
    now,
    newId,
    log,
    variable,
    inForce,
    scanner,
    onRefused: (error) => countRefusal(causeOf(error)),
  })
  const { conversation, provisioner } = interns
  metrics.observeStanding({
    database: db.kind,
    db: db.standing,
    ledger,
    answers: inFlight.count,
    interns: internCensus({ db }, hostname()),
    isLeaving,
    now,
  })
  return {
    interns,
    deps: {
      catalogue,
      config,
      conversation,
      provisioner,
      db,
      hasCredential,
      hasProgram: (command: string, path?: string) => isInstalled(command, path ?? variable('PATH')),
      isLeaving,
      inForce,
      keys,
      measures,
      metrics,
      now,
      newId,
      log,
      routing,
      around: traces.around,
      vault,
    },
    firstKeys,
  }
}

function watchedTwice(observe: Metrics['observeQuery'], trace: NonNullable<Traces['statement']>) {
  return ((seconds, outcome, error, sql) => {
    observe(seconds, outcome, error)
    if (sql !== undefined) trace(seconds, error, sql)
  }) satisfies Metrics['observeQuery']
}

async function openMetricsPort({ config, log, metrics }: Deps, opened: AsyncDisposableStack) {
  if (config.metrics_port === undefined) return undefined
  const server = await startMetricsServer(
    metrics,
    { host: config.host, port: config.metrics_port },
    config.metrics_hosts,
  )
  opened.defer(server.close)
  log.info({ url: server.url }, 'serving metrics without a key')
  return server.url
}

/** What an operator's own file or server got wrong is told row by row; what a snapshot of others did is only counted. */
function tellOfSkipped({ catalogue_file }: Config, log: Deps['log']) {
  return ({ sources, providers, models, endpoints, skipped }: LoadReport) => {
    log.debug({ sources, providers, models, endpoints, skipped: skipped.length }, 'catalogue loaded')
    const isOperators = ({ source }: { source: string }) => source === catalogue_file || /^https?:/.test(source)
    for (const row of skipped) if (isOperators(row)) log.warn(row, 'catalogue row left out')
  }
}

function chosenKeys(config: Config): Partial<FirstKeys> {
  return { managementKey: config.bootstrap_management_key, apiKey: config.bootstrap_api_key }
}

function madeKeys({ managementKey, apiKey }: FirstKeys, config: Config): Partial<FirstKeys> {
  return {
    ...(config.bootstrap_management_key === undefined && { managementKey }),
    ...(config.bootstrap_api_key === undefined && { apiKey }),
  }
}

async function makeDemo(deps: Deps, interns: Interns, { apiKey }: FirstKeys): Promise<void> {
  const owner = await deps.keys.find(apiKey)
  if (owner) await welcomeDemo(deps, interns, owner)
}

/** Requests under way may finish, but not hold up the end for longer than the grace time. Interns end after them. */
async function closeGracefully(leaving: Leaving, app: FastifyInstance, { supervisor }: Interns, graceMs: number) {
  const closing = leaving.close(app, graceMs)
  const impatience = Promise.withResolvers<void>()
  const timer = setTimeout(impatience.resolve, Math.max(0, graceMs - internsEndMs))
  await Promise.race([closing, impatience.promise])
  clearTimeout(timer)
  await Promise.all([closing, supervisor.stop()])
}
