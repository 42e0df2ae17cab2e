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
 * Waits until the ledger can record another request, because no request is served without a record.
 * @throws Fault `unavailable` if the ledger is full.
 */
export async function waitForLedger(ledger: LedgerState): Promise<void> {
  if (!ledger.canMeter()) throw ledgerFull()
  const delayMs = ledger.meteringDelayMs()
  if (delayMs <= 0) return
  await sleep(delayMs)
  if (!ledger.canMeter()) throw ledgerFull()
}

/** Within this time, a slow ledger has written a good part of its backlog. */
const retryAfterSeconds = 2

const ledgerFull = () =>
  new Fault(
    'unavailable',
    `This request cannot be metered now and was not sent: the database does not store records of requests fast enough, or not at all. Try again in ${retryAfterSeconds} seconds. For the operator: see signalbox_ledger_waiting in GET /metrics, and the log.`,
    { retryAfterSeconds },
  )
