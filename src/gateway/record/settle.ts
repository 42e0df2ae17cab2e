import type { Generation } from '#spend/ledger/generation.ts'
import type { PolicyDecision } from '../admission/policy.ts'
import type { RoutingDeps } from '../deps.ts'
import type { KeptContent } from './content-recorder.ts'
import type { RequestRecord } from './request-record.ts'

/** When a request that has its whole answer is settled. */
export type SettleWhen = (settle: () => void) => void

export const atOnce: SettleWhen = (settle) => settle()

/** The client need not wait for it. Its answer is written when all promises are kept, which is before the next tick. */
export const onceAnswered: SettleWhen = (settle) => process.nextTick(settle)

/** Meters the request and settles its reservation. A failure here must not reach the client, whose answer is sent. */
export function settle(
  deps: Pick<RoutingDeps, 'meter' | 'onUnaccounted'>,
  decision: Pick<PolicyDecision, 'settle'>,
  requestRecord: Pick<RequestRecord, 'close' | 'owed'>,
  content: Pick<KeptContent, 'close'> | undefined,
): void {
  let generation: Generation | undefined
  try {
    generation = requestRecord.close()
    deps.meter(generation)
    content?.close(generation)
  } catch (error) {
    deps.onUnaccounted(error as Error)
  }
  try {
    decision.settle(generation && requestRecord.owed(generation))
  } catch (error) {
    deps.onUnaccounted(error as Error)
  }
}
