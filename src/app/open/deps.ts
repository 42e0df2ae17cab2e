import type { ApiDeps } from '#api/access/deps.ts'
import { LiveEvents } from '#api/events/live-events.ts'
import { openInterns } from '#api/interns/interns.ts'
import { createSpendingReader, createTurnUsageReader, isSingleLedgerWriter } from '#api/interns/metered-turn.ts'
import { processStatus } from '#api/status/process-status.ts'
import { createReadiness, logReadiness } from '#api/status/readiness.ts'
import { createMetrics } from '#api/telemetry/metrics.ts'
import { openTraces } from '#api/telemetry/traces.ts'
import { toCause } from '#gateway/record/failure-cause.ts'
import { SignInAttempts } from '#identity/sign-in/sign-in-attempts.ts'
import { createInternCounts } from '#interns/registry/intern-counts.ts'
import { createConnectionReader } from '#platform/http/connection.ts'
import { isInstalled } from '#platform/process/program.ts'
import type { Cause } from '#spend/ledger/generation.ts'
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
  const { config, log, newId, variable } = parts
  const server = newId()
  const traces = await openTraces(variable, parts.now, server, parts.config)
  cleanup.defer(traces.close)
  const metrics = createMetrics()
  const onUnmetered = (error: Error) => {
    metrics.observeUnmetered()
    log.error({ err: error }, 'a completion is not metered')
  }
  const countRefusal = ({ guardrailId, rule }: Cause) => {
    if (rule !== undefined) metrics.observeRefusal({ rule, guardrail: guardrailId })
  }

  const store = await open({ parts, metrics, traces, cleanup })
  const { db, settings, firstKeys, now } = store
  const context: OpenContext = { parts: { ...parts, now }, metrics, traces, cleanup }
  const models = await openModels(context, store)
  const { keys, vault, sessions, tokens, ...policies } = await openPolicies(context, store)
  if (!store.hasPrimary) openWebhooks(context, { db, vault })
  const money = await openMoney(context, store, onUnmetered)
  const isSingleWriter = isSingleLedgerWriter(db, config, store)
  const contents = openContents(context, store, vault)
  const { gateway, scanner } = openDataPlane(context, {
    server,
    ...models,
    ...policies,
    ...money,
    contents,
    db,
    isSingleWriter,
    onUnmetered,
    countRefusal,
  })
  const { guardrailCache, inFlight } = policies
  const meters = { db, ledger: money.ledger, isSingleWriter }
  const interns = openInterns({
    ...context.parts,
    dataDir: settings.data_dir,
    db,
    guardrailCache,
    vault,
    scanner,
    readMeteredUsage: createTurnUsageReader(meters),
    readSpending: createSpendingReader(meters),
    observeRunEnd: metrics.observeInternRun,
    onRefused: (error) => countRefusal(toCause(error)),
  })
  const liveEvents = new LiveEvents({
    db,
    now,
    isShuttingDown,
    onError: createWarning(context, 'live events were not delivered'),
  })
  cleanup.defer(() => liveEvents.close())
  metrics.observeServerState({
    database: db.kind,
    db: db.health,
    clockCorrectionMs: db.clockCorrectionMs,
    ledger: money.ledger,
    // An event stream is also a request in flight.
    answers: () => inFlight.count() - liveEvents.listeners,
    eventStreams: () => liveEvents.listeners,
    // Without a host, this server runs no interns: no intern has an empty host name.
    interns: createInternCounts({ db }, interns.hosts.thisHost ?? ''),
    isShuttingDown,
    now,
  })
  const { pid } = process
  const { ledger } = money
  const readiness = createReadiness({
    db,
    ledger,
    config,
    modelCount: () => models.catalogue.current().models.length,
    stopReason: () => (isShuttingDown() ? 'it received the signal to stop' : undefined),
  })
  cleanup.defer(logReadiness(readiness, log))
  const { circuits } = gateway
  const deps: ApiDeps = {
    ...models,
    config,
    settingSources: parts.settingSources,
    console: store.console,
    conversation: interns.conversation,
    provisioner: interns.provisioner,
    internHosts: interns.hosts,
    db,
    hasCredential: (name) => Boolean(variable(name)?.trim()),
    // This host does not know which programs the image of a pod contains.
    hasProgram: (command, path) =>
      config.provisioner === 'kubernetes' || isInstalled(command, path ?? variable('PATH')),
    isShuttingDown,
    guardrailCache,
    hostStatus: async () => ({
      expected: 1,
      processes: [processStatus({ server, pid, db, ledger, circuits, isShuttingDown })],
    }),
    keys,
    metrics,
    now,
    newId,
    log,
    readiness,
    gateway,
    scanner,
    sessions,
    tokens,
    connectionOf: createConnectionReader(
      { addresses: config.trusted_proxies, header: config.proxy_host_header },
      config.public_url,
    ),
    oidcClient: openOidc(context),
    signInAttempts: new SignInAttempts(() => performance.now()),
    // Each dialog for a passkey requests a challenge first, so there are more of them than failed attempts.
    challengeLimit: new SignInAttempts(() => performance.now(), { burst: 60, refillSeconds: 1 }),
    wrapHandler: traces.wrap,
    liveEvents,
    vault,
  }
  return { interns, deps, firstKeys, ledger }
}
