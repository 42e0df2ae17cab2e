import type { Measures } from '#catalogue/measurements/measures.ts'
import type { CredentialCache } from '#identity/provider-keys/credential-cache.ts'
import type { Config } from '#platform/config/settings.ts'
import type { NewId } from '#platform/core/id.ts'
import type { ProxySettings } from '#platform/core/proxies.ts'
import type { Scanner } from '#policy/filters/scan.ts'
import type { GuardrailCache } from '#policy/guardrails/guardrail-cache.ts'
import type { Budgets } from '#spend/budgets/budgets.ts'
import type { Ledger } from '#spend/metering/ledger.ts'
import { guardrailPolicy } from './admission/guardrail-policy.ts'
import { environmentCredentials, ownCredentialsFirst } from './attempt/credentials.ts'
import { createUpstreams } from './attempt/upstream/create-upstreams.ts'
import type { RoutingDeps } from './deps.ts'
import { type CircuitWatch, createCircuits } from './plan/circuits.ts'
import type { PresetCache } from './presets/preset-cache.ts'
import { regionOf } from './request/region.ts'

type RoutingOpenParts = {
  config: Pick<
    Config,
    | 'zdr_vendors'
    | 'regions'
    | 'connect_timeout_ms'
    | 'first_byte_timeout_ms'
    | 'silence_timeout_ms'
    | 'first_content_hold_ms'
    | 'keepalive_ms'
  > &
    ProxySettings
  catalogue: RoutingDeps['catalogue']
  measures: Pick<Measures, 'record' | 'figures'>
  guardrailCache: GuardrailCache
  budgets: Pick<Budgets, 'reserve'>
  scanner: Scanner
  presets: PresetCache
  inFlight: RoutingDeps['inFlight']
  ownCredentials: Pick<CredentialCache, 'of'>
  ledger: Pick<Ledger, 'record' | 'hasRoom' | 'admissionDelayMs'>
  turnLimits?: RoutingDeps['turnLimits']
  noteRequest?: RoutingDeps['noteRequest']
  contents?: RoutingDeps['contents']
  onUnaccounted: RoutingDeps['onUnaccounted']
  onUsageMismatch?: RoutingDeps['onUsageMismatch']
  onRefused: RoutingDeps['onRefused']
  tracing: boolean
  onCircuit: CircuitWatch
  variable: (name: string) => string | undefined
  now: () => number
  newId: NewId
}

/** Providers tell the usage at once when an answer has ended. */
const usageMs = 10_000

/** The data plane, ready for requests. */
export function openRouting({
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
  noteRequest,
  contents,
  onUnaccounted,
  onUsageMismatch,
  onRefused,
  tracing,
  onCircuit,
  variable,
  now,
  newId,
}: RoutingOpenParts): RoutingDeps {
  return {
    catalogue,
    credentials: ownCredentialsFirst(environmentCredentials(variable), ownCredentials, catalogue, variable),
    circuits: createCircuits({ now, watch: onCircuit }),
    speeds: ({ id }) => {
      const { latencyMs, throughput } = measures.figures().endpoint(id)
      return { latencyMs: latencyMs?.p50 ?? null, throughput: throughput?.p50 ?? null }
    },
    policy: guardrailPolicy({ catalogue, guardrailCache, budgets, scanner, now, config }),
    presets,
    inFlight,
    regionOf: (host) => regionOf(config.regions, host),
    upstreams: createUpstreams({ connectMs: config.connect_timeout_ms, proxies: config }),
    deadlines: {
      firstByteMs: config.first_byte_timeout_ms,
      silenceMs: config.silence_timeout_ms,
      usageMs,
    },
    contentHoldMs: config.first_content_hold_ms,
    keepaliveMs: config.keepalive_ms,
    measure: measures.record,
    meter: ledger.record,
    canMeter: ledger.hasRoom,
    meteringDelayMs: ledger.admissionDelayMs,
    turnLimits,
    noteRequest,
    contents,
    onUnaccounted,
    onUsageMismatch,
    onRefused,
    tracing,
    now,
    newId,
  }
}
