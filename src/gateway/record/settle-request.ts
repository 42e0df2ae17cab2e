import type { Generation } from '#spend/ledger/generation.ts'
import type { RequestReservation } from '../admission/request-reservation.ts'
import type { ContentRecorder } from './content-recorder.ts'
import type { RequestRecord } from './request-record.ts'

export type SettleDeps = {
  meter: (generation: Generation) => void
  /** Called if the record of a request could not be closed or its reservation not settled. */
  onUnaccounted: (error: Error) => void
}

/** The parts of a request that are closed at its end. */
type RequestToSettle = {
  record: Pick<RequestRecord, 'close' | 'countsInSameBudgets' | 'unconfirmedLoss'>
  /** Undefined if the request failed before money was reserved. */
  reservation: Pick<RequestReservation, 'countingBudgetIds' | 'settle'> | undefined
  /** Undefined if the content is not stored. */
  content: Pick<ContentRecorder, 'close'> | undefined
}

/** Meters the request and settles its reservation. A failure must not reach the client, whose response is already sent. */
export function settleRequest(deps: SettleDeps, { record, reservation, content }: RequestToSettle): void {
  let generation: Generation | undefined
  try {
    generation = record.close()
    if (generation.margin > 0n && record.countsInSameBudgets)
      generation.chargedBudgets = reservation?.countingBudgetIds(generation)
    deps.meter(generation)
    content?.close(generation)
  } catch (error) {
    deps.onUnaccounted(error as Error)
  }
  try {
    reservation?.settle(generation && record.unconfirmedLoss.unsettledCost(generation))
  } catch (error) {
    deps.onUnaccounted(error as Error)
  }
}
