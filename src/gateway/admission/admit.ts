import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '#platform/core/fault.ts'
import type { CompletionCall } from '../completion-call.ts'
import type { RoutingDeps } from '../deps.ts'
import { type PreparedRequest, prepareRequest } from '../request/prepared-request.ts'

/**
 * Takes a request, at once or as soon as the ledger allows: none is served unmetered.
 * @throws Fault when it cannot be metered, or makes no sense.
 */
export function admit(deps: RoutingDeps, call: CompletionCall): PreparedRequest | Promise<PreparedRequest> {
  if (!deps.canMeter()) throw unmeterable()
  const delayMs = deps.meteringDelayMs()
  return delayMs > 0 ? admitAfter(delayMs, deps, call) : prepareRequest(deps, call)
}

async function admitAfter(delayMs: number, deps: RoutingDeps, call: CompletionCall): Promise<PreparedRequest> {
  await sleep(delayMs)
  if (!deps.canMeter()) throw unmeterable()
  return prepareRequest(deps, call)
}

/** Seconds in which a ledger that is behind has written a good part of what waits. */
const retryAfterSeconds = 2

const unmeterable = () =>
  new Fault(
    'unavailable',
    `This request cannot be metered now, so it is not taken: the database takes no records of requests, or fewer than are made. Try again in ${retryAfterSeconds} seconds. For the operator: signalbox_ledger_waiting in GET /metrics, and the log.`,
    { retryAfterSeconds },
  )
