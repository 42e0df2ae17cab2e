import { CircuitEventWriter } from '#api/events/circuit-events.ts'
import { createTurnLimits } from '#api/interns/turn-limits.ts'
import { createCircuitLogger } from '#api/telemetry/circuit-log.ts'
import { completionLog } from '#api/telemetry/completion-log.ts'
import type { GatewayDeps } from '#gateway/deps.ts'
import { startCostLookups } from '#gateway/late-costs/start-cost-lookups.ts'
import { openGateway } from '#gateway/open.ts'
import type { OnCircuitChange } from '#gateway/plan/circuits.ts'
import type { ContentStorage } from '#gateway/record/content-recorder.ts'
import { createBatcher } from '#platform/async/batcher.ts'
import type { Db } from '#platform/db/db.ts'
import { createScanner } from '#policy/filters/scanner.ts'
import type { Cause, Generation } from '#spend/ledger/generation.ts'
import { createRequestMarker } from '#spend/metering/request-markers.ts'
import type { openModels } from './models.ts'
import type { openMoney } from './money.ts'
import { createWarning, type OpenContext } from './parts.ts'
import type { openPolicies } from './policies.ts'

type OpenResult<Open extends (...parts: never[]) => Promise<unknown>> = Awaited<ReturnType<Open>>
type LowerParts = OpenResult<typeof openModels> &
  Omit<OpenResult<typeof openPolicies>, 'keys' | 'vault' | 'sessions' | 'tokens'> &
  OpenResult<typeof openMoney> & {
    db: Db
    /** The name of this process: each has its own circuits. */
    server: string
    /** Whether this process alone writes what is metered. */
    isSingleWriter: boolean
    contents: ContentStorage
    onUnmetered: (error: Error) => void
    countRefusal: (cause: Cause) => void
  }

/** Opens the parts that handle completions, and the parts that are notified of completions. */
export function openDataPlane(context: OpenContext, lowerParts: LowerParts) {
  const { parts, metrics, traces, cleanup } = context
  const { config, now, newId, variable, elapsed } = parts
  const { db, server, isSingleWriter, ledger, onUnmetered, countRefusal, ...gatewayParts } = lowerParts
  const scanner = createScanner()
  cleanup.defer(scanner.close)
  const completions = completionLog(parts.log)
  const reportCompletion = createCompletionReports(context, { completions, countRefusal })
  const warnNotAnnounced = createWarning(context, 'completion of written requests of interns was not announced')
  const gateway = openGateway({
    ...gatewayParts,
    config,
    scanner,
    ledger: {
      ...ledger,
      record(generation) {
        ledger.record(generation)
        // The charge has a margin until the provider has reported the cost.
        if (generation.hasCostLookup && generation.margin > 0n) lookUpCosts()
        reportCompletion(generation)
      },
    },
    turnLimits: createTurnLimits({ db, now }),
    markRequest: isSingleWriter
      ? undefined
      : createRequestMarker({ db, now, newId, ledger, onError: warnNotAnnounced }),
    tracing: traces.isEnabled,
    onUnaccounted: onUnmetered,
    onUsageMismatch: createMismatchWarning(context),
    onRefused(refused) {
      // A request that was refused because the ledger is full must not fill it further.
      if (ledger.hasRoom()) ledger.record(refused)
      completions.logRefusal(refused)
      if (refused.cause) countRefusal(refused.cause)
    },
    onCircuit: createCircuitListener(context, { db, server }),
    variable,
    now,
    elapsed,
    newId,
  })
  cleanup.defer(gateway.upstreams.close)
  cleanup.defer(() => gateway.backgroundReadSlots.close())
  const lookUpCosts = openCostLookups(context, { ...gateway, db })
  metrics.observeCircuits(gateway.circuits.listRestricted)
  return { gateway, scanner }
}

/** Log, metrics and traces receive completions in batches. */
const reportBatch = { maxItems: 64, maxDelayMs: 20 }

type ReportDeps = { completions: ReturnType<typeof completionLog> } & Pick<LowerParts, 'countRefusal'>

/** Returns the function that reports a completion to log, metrics and traces. */
function createCompletionReports(context: OpenContext, { completions, countRefusal }: ReportDeps) {
  const { metrics, traces, cleanup } = context
  const warn = createWarning(context, 'a completion is missing in metrics, traces or the log')
  const reports = createBatcher<Generation>(reportBatch, (generation) => {
    try {
      metrics.observeCompletion(generation)
      traces.record(generation)
      completions.logCompletion(generation)
      if (generation.cause) countRefusal(generation.cause)
    } catch (error) {
      warn(error as Error)
    }
  })
  metrics.beforeRead(reports.flush)
  cleanup.defer(reports.flush)
  return reports.add
}

function createMismatchWarning(context: OpenContext): GatewayDeps['onUsageMismatch'] {
  const warn = createWarning(context, 'a provider reports a total of tokens that its counts do not explain')
  return (endpointId, mismatch) =>
    warn(new Error(`the usage from ${endpointId} contradicts itself`, { cause: mismatch }))
}

/** Returns the listener that writes changes of circuit breakers to metrics, log and live events. */
function createCircuitListener(context: OpenContext, { db, server }: Pick<LowerParts, 'db' | 'server'>) {
  const { metrics, parts } = context
  const onError = createWarning(context, 'listeners were not notified of a circuit change')
  const logChange = createCircuitLogger(parts.log)
  const events = new CircuitEventWriter({ db, now: parts.now, server, onError })
  const onChange: OnCircuitChange = (name, change) => {
    if ('reason' in change) metrics.observeCircuitOpening(change.reason)
    logChange(name, change)
    events.add(name, change)
  }
  return onChange
}

/** Returns the function that looks up the costs of requests whose charge has a margin. */
function openCostLookups(context: OpenContext, deps: Parameters<typeof startCostLookups>[0]): () => void {
  const closing = new AbortController()
  context.cleanup.defer(() => closing.abort())
  const onError = createWarning(context, 'a cost could not be requested from a provider')
  return startCostLookups(deps, { signal: closing.signal, onError })
}
