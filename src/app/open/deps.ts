import type { ApiDeps } from '#api/access/deps.ts'
import { LiveEvents } from '#api/events/live-events.ts'
import { type Interns, openInterns } from '#api/interns/interns.ts'
import { createSpendingReader, createTurnUsageReader, isSingleLedgerWriter } from '#api/interns/metered-turn.ts'
import { processStatus } from '#api/status/process-status.ts'
import { createReadiness, logReadiness } from '#api/status/readiness.ts'
import { createMetrics, type Metrics } from '#api/telemetry/metrics.ts'
import { openTraces } from '#api/telemetry/traces.ts'
import { toCause } from '#gateway/record/failure-cause.ts'
import { SignInAttempts } from '#identity/sign-in/sign-in-attempts.ts'
import { createInternCounts } from '#interns/registry/intern-counts.ts'
import type { Db } from '#platform/db/db.ts'
import { createConnectionReader } from '#platform/http/connection.ts'
import type { Log } from '#platform/process/log.ts'
import { isInstalled } from '#platform/process/program.ts'
import type { Cause } from '#spend/ledger/generation.ts'
import type { Ledger } from '#spend/metering/ledger.ts'
import { openContents } from './contents.ts'
import { openDataPlane } from './data-plane.ts'
import { openModels } from './models.ts'
import { openMoney } from './money.ts'
import { openOidc } from './oidc.ts'
import { createWarning, type OpenContext, type Parts } from './parts.ts'
import { openPolicies } from './policies.ts'
import { type OpenStore, openStore } from './store.ts'
import { openWebhooks } from './webhooks.ts'

/**
 * Opens the dependencies of all routes, starting with the store; `cleanup` closes them in reverse order.
 * @param open opens the store: of this process, or of the process that started it.
 */
export async function openDeps(
  parts: Parts,
  isShuttingDown: ApiDeps['isShuttingDown'],
  cleanup: AsyncDisposableStack,
  open: (context: OpenContext) => Promise<OpenStore> = openStore,
) {
  const { config, log, newId } = parts
  const server = newId()
  const traces = await openTraces({ variable: parts.variable, now: parts.now, instance: server, proxies: config })
  cleanup.defer(traces.close)
  const metrics = createMetrics()
  const reports = createReports(metrics, log)
  const store = await open({ parts, metrics, traces, cleanup })
  const { db, firstKeys, now } = store
  const context: OpenContext = { parts: { ...parts, now }, metrics, traces, cleanup }
  const models = await openModels(context, store)
  const { keys, vault, sessions, tokens, ...policies } = await openPolicies(context, store)
  if (!store.hasPrimary) openWebhooks(context, { db, vault })
  const money = await openMoney(context, store, reports.onUnmetered)
  const { ledger } = money
  const isSingleWriter = isSingleLedgerWriter(db, config, store)
  const contents = openContents(context, store, vault)
  const lowerParts = { ...models, ...policies, ...money, ...reports, contents, db, server, isSingleWriter }
  const { gateway, scanner } = openDataPlane(context, lowerParts)
  const { guardrailCache, inFlight } = policies
  const meters = { db, ledger, isSingleWriter }
  const interns = openInterns({
    ...context.parts,
    dataDir: store.settings.data_dir,
    db,
    guardrailCache,
    vault,
    scanner,
    readMeteredUsage: createTurnUsageReader(meters),
    readSpending: createSpendingReader(meters),
    observeRunEnd: metrics.observeInternRun,
    onRefused: (error) => reports.countRefusal(toCause(error)),
  })
  const liveEvents = openLiveEvents(context, db, isShuttingDown)
  observeServerState(context, { db, ledger, inFlight, liveEvents, interns, isShuttingDown })
  const status = { server, pid: process.pid, db, ledger, circuits: gateway.circuits, isShuttingDown }
  const deps: ApiDeps = {
    ...models,
    ...openRequestParts(context),
    ...createAvailabilityChecks(parts),
    config,
    settingSources: parts.settingSources,
    console: store.console,
    chatTurnDeps: interns.chatTurnDeps,
    provisioner: interns.provisioner,
    internHosts: interns.hosts,
    db,
    isShuttingDown,
    guardrailCache,
    hostStatus: async () => ({ expected: 1, processes: [processStatus(status)] }),
    keys,
    metrics,
    now,
    newId,
    log,
    readiness: openReadiness(context, { db, ledger, catalogue: models.catalogue, isShuttingDown }),
    gateway,
    scanner,
    sessions,
    tokens,
    liveEvents,
    vault,
  }
  return { interns, deps, firstKeys, ledger }
}

/** The reports of completions that were not metered, and of refused requests. */
function createReports(metrics: Metrics, log: Log) {
  return {
    onUnmetered(error: Error) {
      metrics.observeUnmetered()
      log.error({ err: error }, 'a completion is not metered')
    },
    countRefusal({ guardrailId, rule }: Cause) {
      if (rule !== undefined) metrics.observeRefusal({ rule, guardrail: guardrailId })
    },
  }
}

type ObservedParts = Pick<ApiDeps, 'db' | 'liveEvents' | 'isShuttingDown'> & {
  ledger: Ledger
  inFlight: { count: () => number }
  interns: Pick<Interns, 'hosts'>
}

/** Adds the state of the server to the metrics. */
function observeServerState({ parts, metrics }: OpenContext, observed: ObservedParts): void {
  const { db, ledger, inFlight, liveEvents, interns, isShuttingDown } = observed
  metrics.observeServerState({
    database: db.kind,
    db: db.health,
    clockCorrectionMs: db.clockCorrectionMs,
    ledger,
    // An event stream is also a request in flight.
    responses: () => inFlight.count() - liveEvents.listeners,
    eventStreams: () => liveEvents.listeners,
    // Without a host, this server runs no interns: no intern has an empty host name.
    interns: createInternCounts({ db }, interns.hosts.thisHost ?? ''),
    isShuttingDown,
    now: parts.now,
  })
}

function openLiveEvents(context: OpenContext, db: Db, isShuttingDown: ApiDeps['isShuttingDown']): LiveEvents {
  const onError = createWarning(context, 'live events were not delivered')
  const liveEvents = new LiveEvents({ db, now: context.parts.now, isShuttingDown, onError })
  context.cleanup.defer(() => liveEvents.close())
  return liveEvents
}

type ReadinessParts = Pick<ApiDeps, 'db' | 'catalogue' | 'isShuttingDown'> & { ledger: Ledger }

function openReadiness(context: OpenContext, { db, ledger, catalogue, isShuttingDown }: ReadinessParts) {
  const { config, log } = context.parts
  const readiness = createReadiness({
    db,
    ledger,
    config,
    modelCount: () => catalogue.current().models.length,
    stopReason: () => (isShuttingDown() ? 'it received the signal to stop' : undefined),
  })
  context.cleanup.defer(logReadiness(readiness, log))
  return readiness
}

/** The parts that read a request's connection, limit its sign-in attempts and trace its handler. */
function openRequestParts(context: OpenContext) {
  const { config } = context.parts
  const elapsed = () => performance.now()
  const proxies = { addresses: config.trusted_proxies, header: config.proxy_host_header }
  return {
    connectionOf: createConnectionReader(proxies, config.public_url),
    oidcClient: openOidc(context),
    signInAttempts: new SignInAttempts(elapsed),
    // Each dialog for a passkey requests a challenge first, so there are more of them than failed attempts.
    challengeLimit: new SignInAttempts(elapsed, { burst: 60, refillSeconds: 1 }),
    wrapHandler: context.traces.wrap,
  }
}

/** The credentials and programs that this host has. */
function createAvailabilityChecks({ config, variable }: Parts): Pick<ApiDeps, 'hasCredential' | 'hasProgram'> {
  return {
    hasCredential: (name) => Boolean(variable(name)?.trim()),
    // This host does not know which programs the image of a pod contains.
    hasProgram: (command, path) =>
      config.provisioner === 'kubernetes' || isInstalled(command, path ?? variable('PATH')),
  }
}
