import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '#platform/core/fault.ts'

/** The state of the ledger that decides whether a request can be served. */
export type LedgerState = {
  /** False while so many records wait to be written that no further request can be recorded. */
  canMeter: () => boolean
  /** How long a request is delayed because records are made faster than they are written. Usually 0. */
  meteringDelayMs: () => number
}

/**
 * Returns how long a request must wait for the ledger, because no request is served without a record. Usually 0.
 * @throws Fault `unavailable` if the ledger is full.
 */
export function requireLedgerDelay(ledger: LedgerState): number {
  if (!ledger.canMeter()) throw ledgerFullFault()
  return ledger.meteringDelayMs()
}

/** Waits for the ledger. @throws Fault `unavailable` if the ledger is full after the delay. */
export async function waitForLedger(ledger: LedgerState, delayMs: number): Promise<void> {
  await sleep(delayMs)
  if (!ledger.canMeter()) throw ledgerFullFault()
}

/** Within this time, a slow ledger has written a good part of its backlog. */
const retryAfterSeconds = 2

const ledgerFullFault = () =>
  new Fault(
    'unavailable',
    `This request cannot be metered now and was not sent: the database does not store records of requests fast enough, or not at all. Try again in ${retryAfterSeconds} seconds. For the operator: see signalbox_ledger_waiting in GET /metrics, and the log.`,
    { retryAfterSeconds },
  )
