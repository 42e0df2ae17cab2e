import type { Provider } from '#catalogue/index/model.ts'
import type { Measurement } from '#catalogue/measurements/measurement.ts'
import type { RequestsInFlight } from '#identity/accounts/requests-in-flight.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Region } from '#platform/core/vocabulary.ts'
import type { Generation } from '#spend/ledger/generation.ts'
import type { NoteRequest } from '#spend/metering/requests-under-way.ts'
import type { Policy } from './admission/policy.ts'
import type { TurnLimits } from './admission/turn-limits.ts'
import type { Credentials } from './attempt/credentials.ts'
import type { Deadlines } from './attempt/upstream/deadlines.ts'
import type { Upstreams } from './attempt/upstream/upstream.ts'
import type { Circuits } from './plan/circuits.ts'
import type { PlanInput } from './plan/plan.ts'
import type { PresetCache } from './presets/preset-cache.ts'
import type { KeepContents } from './record/content-recorder.ts'
import type { Finder } from './request/resolve-models.ts'

/** The dependencies of the data plane. */
export type RoutingDeps = {
  catalogue: { current: () => Finder & { findProvider: (slug: string) => Provider | undefined } }
  credentials: Credentials
  circuits: Circuits
  /** An endpoint's median speed of the last 30 minutes. */
  speeds: PlanInput['speeds']
  policy: Policy
  presets: PresetCache
  /** Ends requests under way that would be refused now. */
  inFlight: Pick<RequestsInFlight, 'track'>
  /** The region of a host name. */
  regionOf: (host: string | undefined) => Region
  upstreams: Upstreams
  deadlines: Deadlines
  /** How long a stream is held back for its first content. */
  contentHoldMs: number
  /** The longest time without any output before the first token of a stream. After it, a keepalive is sent. */
  keepaliveMs: number
  measure: (measurement: Measurement) => void
  meter: (generation: Generation) => void
  /**
   * What turns of the intern with this key can still cost; undefined where none of them is limited.
   * Throws a Fault `forbidden` when the intern has no turn in flight.
   */
  turnLimits?: ((keyHash: string) => Promise<TurnLimits | undefined>) | undefined
  /** Notes requests of interns while they are not written; undefined where this process alone writes what is metered. */
  noteRequest?: NoteRequest | undefined
  /** Where what is asked and answered is kept, for who wants it. */
  contents?: KeepContents | undefined
  /** False while so much is not written that nothing more may be metered, hence nothing served. */
  canMeter: () => boolean
  /** How long a request waits before it is taken: more are made than can be written. Mostly 0. */
  meteringDelayMs: () => number
  /** A request was refused before any account of it was opened. */
  onRefused: (refused: Generation) => void
  /** Whether each request gets its own trace span. */
  tracing: boolean
  /** The account of a request could not be closed. The client has its answer all the same. */
  onUnaccounted: (error: Error) => void
  /** The usage that an endpoint reports contradicts itself. The larger counts are billed. */
  onUsageMismatch?: ((endpointId: string, mismatch: string) => void) | undefined
  now: () => number
  newId: NewId
}
