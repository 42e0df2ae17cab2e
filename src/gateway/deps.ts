import type { RequestsInFlight } from '#identity/accounts/requests-in-flight.ts'
import type { MarkRequest } from '#spend/metering/request-markers.ts'
import type { Policy } from './admission/policy.ts'
import type { TurnLimits } from './admission/turn-limits.ts'
import type { LedgerState } from './admission/wait-for-ledger.ts'
import type { AttemptDeps } from './attempt/run-attempts.ts'
import type { Circuits } from './plan/circuits.ts'
import type { PlanDeps } from './plan/plan-completion.ts'
import type { PresetCache } from './presets/preset-cache.ts'
import type { ContentStorage } from './record/content-recorder.ts'
import type { RefusalDeps } from './record/refused-generation.ts'
import type { RecordDeps } from './record/request-record.ts'
import type { SettleDeps } from './record/settle-request.ts'
import type { Catalogue, ModelLookup, ProviderLookup } from './request/catalogue-lookup.ts'
import type { Credentials } from './request/credentials.ts'

type StageDeps = LedgerState & PlanDeps & AttemptDeps & RecordDeps & RefusalDeps & SettleDeps

/** All dependencies of the gateway. The functions below `complete.ts` name only those that they use. */
export type GatewayDeps = Omit<StageDeps, 'catalogue' | 'circuits' | 'policy'> & {
  catalogue: Catalogue<ModelLookup & ProviderLookup>
  circuits: Circuits
  credentials: Credentials
  policy: Policy
  presets: PresetCache
  /** Ends requests in flight that would be refused now. */
  inFlight: Pick<RequestsInFlight, 'track'>
  /** Where prompts and responses are stored, for workspaces that want it. */
  contents?: ContentStorage | undefined
  /**
   * The remaining budgets of the turns of an intern, by the hash of its key; undefined if none is limited.
   * @throws Fault `forbidden` if the intern has no turn in flight.
   */
  turnLimits?: ((keyHash: string) => Promise<TurnLimits | undefined>) | undefined
  /** Marks requests of interns as in flight until they are in the ledger; undefined if this process writes the whole ledger. */
  markRequest?: MarkRequest | undefined
}
