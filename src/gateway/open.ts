import type { Measures } from '#catalogue/measurements/measures.ts'
import type { CredentialCache } from '#identity/provider-keys/credential-cache.ts'
import type { Config } from '#platform/config/settings.ts'
import type { NewId } from '#platform/core/id.ts'
import type { ProxySettings } from '#platform/net/proxies.ts'
import type { Scanner } from '#policy/filters/scanner.ts'
import type { GuardrailCache } from '#policy/guardrails/guardrail-cache.ts'
import type { BudgetReserver } from '#spend/budgets/budgets.ts'
import type { Ledger } from '#spend/metering/ledger.ts'
import { createGuardrailPolicy } from './admission/guardrail-policy.ts'
import { BackgroundReadSlots } from './attempt/response/background-read-slots.ts'
import { createUpstreams } from './attempt/upstream/create-upstreams.ts'
import type { GatewayDeps } from './deps.ts'
import { createCircuits, type OnCircuitChange } from './plan/circuits.ts'
import type { PresetCache } from './presets/preset-cache.ts'
import { createCredentials, createEnvironmentCredentials } from './request/credentials.ts'
import { regionOf } from './request/region.ts'

type GatewayParts = {
  config: Pick<
    Config,
    | 'zdr_vendors'
    | 'regions'
    | 'connect_timeout_ms'
    | 'first_byte_timeout_ms'
    | 'whole_response_timeout_ms'
    | 'silence_timeout_ms'
    | 'first_content_hold_ms'
    | 'keepalive_ms'
    | 'drain_after_disconnect_ms'
  > &
    ProxySettings
  catalogue: GatewayDeps['catalogue']
  measures: Pick<Measures, 'record' | 'figures'>
  guardrailCache: GuardrailCache
  budgets: BudgetReserver
  scanner: Scanner
  presets: PresetCache
  inFlight: GatewayDeps['inFlight']
  ownCredentials: Pick<CredentialCache, 'of' | 'getCached'>
  ledger: Pick<Ledger, 'record' | 'hasRoom' | 'admissionDelayMs'>
  turnLimits?: GatewayDeps['turnLimits']
  markRequest?: GatewayDeps['markRequest']
  contents?: GatewayDeps['contents']
  onUnaccounted: GatewayDeps['onUnaccounted']
  onUsageMismatch?: GatewayDeps['onUsageMismatch']
  onRefused: GatewayDeps['onRefused']
  tracing: boolean
  onCircuit: OnCircuitChange
  variable: (name: string) => string | undefined
  now: () => number
  /** A monotonic clock in whole milliseconds. Defaults to the clock of the process. */
  elapsed: (() => number) | undefined
  newId: NewId
}

/** The wait for the usage of a finished response. Providers send it right after the end. */
const usageMs = 10_000

/** Creates the dependencies of the gateway from the open parts of the server. */
export function openGateway({
  config,
  catalogue,
  guardrailCache,
  budgets,
  scanner,
  presets,
  inFlight,
  measures,
  ownCredentials,
  ledger,
  turnLimits,
  markRequest,
  contents,
  onUnaccounted,
  onUsageMismatch,
  onRefused,
  tracing,
  onCircuit,
  variable,
  now,
  elapsed = () => Math.floor(performance.now()),
  newId,
}: GatewayParts): GatewayDeps {
  return {
    catalogue,
    credentials: createCredentials(createEnvironmentCredentials(variable), ownCredentials, catalogue, variable),
    circuits: createCircuits({ now, onChange: onCircuit }),
    speeds: ({ id }) => {
      const { latencyMs, throughput, fastest } = measures.figures().endpoint(id)
      return { latencyMs: latencyMs?.p50 ?? null, throughput: throughput?.p50 ?? null, fastest }
    },
    policy: createGuardrailPolicy({ catalogue, guardrailCache, budgets, scanner, now, config }),
    presets,
    inFlight,
    regionOf: (host) => regionOf(config.regions, host),
    upstreams: createUpstreams({ connectMs: config.connect_timeout_ms, proxies: config }),
    timeouts: { firstByteMs: config.first_byte_timeout_ms, idleMs: config.silence_timeout_ms, usageMs },
    unstreamedTimeouts: { firstByteMs: config.whole_response_timeout_ms, idleMs: config.silence_timeout_ms, usageMs },
    contentHoldMs: config.first_content_hold_ms,
    backgroundReadSlots: new BackgroundReadSlots(config.drain_after_disconnect_ms),
    keepaliveMs: config.keepalive_ms,
    measure: (measurement) => measures.record(measurement),
    meter: ledger.record,
    canMeter: ledger.hasRoom,
    meteringDelayMs: ledger.admissionDelayMs,
    turnLimits,
    markRequest,
    contents,
    onUnaccounted,
    onUsageMismatch,
    onRefused,
    tracing,
    now,
    elapsed,
    newId,
  }
}
