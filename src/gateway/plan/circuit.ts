import { backoffDelay } from '#platform/async/backoff.ts'
import { countOutcomes, isFailing, type Window } from './circuit-window.ts'

/** Why an endpoint is restricted: too many failures, a failure while half-open, or a `Retry-After`. */
export type RestrictionReason = 'failure_rate' | 'failed_again' | 'retry_after'

/** The circuit breaker of one endpoint (docs/decisions/0037). Times are in milliseconds since the epoch. */
export type Circuit = CommonState & (ClosedState | OpenState | HalfOpenState)

type CommonState = {
  /** Start of this state. Outcomes of requests that started earlier do not change it. */
  readonly since: number
  /** End of the pause that the endpoint requested with `Retry-After`. */
  readonly pausedUntil: number
  /** Until then the plan ranks the endpoint below healthy ones. */
  readonly troubledUntil: number
  /** When a lost connection last counted as a failure. */
  readonly connectionLostAt: number
  /** Consecutive failures, by the time of the failure and not of the request. */
  readonly failuresInARow: number
  /** When a request was last forced although the endpoint was hopeless: it failed many times in a row. */
  readonly forcedAt: number
  /** How often the circuit has opened since it was last closed. */
  readonly openings: number
}

type ClosedState = { readonly at: 'closed'; readonly window: Window }
type OpenState = {
  readonly at: 'open'
  readonly until: number
  readonly reason: Exclude<RestrictionReason, 'retry_after'>
}
/** Counts of the requests that started in this state. Each admitted request takes `admissionCost` of `credit`. */
type HalfOpenState = {
  readonly at: 'half_open'
  readonly started: number
  readonly responses: number
  readonly failed: number
  readonly credit: number
  readonly creditAt: number
}

export type CircuitEvent =
  | { type: 'clock.ticked'; now: number }
  /** A request could use the endpoint. */
  | { type: 'request.arrived'; now: number }
  | { type: 'request.admitted'; now: number }
  /** A last resort: the request is sent whatever the state. */
  | { type: 'request.forced'; now: number }
  /** The attempt ended without an outcome: the client disconnected, or the request was invalid. */
  | { type: 'attempt.abandoned'; now: number; startedAt: number }
  /** The first byte of a response arrived. */
  | { type: 'response.started'; now: number; startedAt: number }
  /** The attempt failed. `hasResponded`: the failure came after the first byte. A lost connection often ends several attempts at once. */
  | { type: 'attempt.failed'; now: number; startedAt: number; hasResponded: boolean; isConnectionLost: boolean }
  /** The response was an error with `Retry-After`. */
  | { type: 'pause.requested'; now: number; startedAt: number; durationMs: number }

const reopeningFailureRate = 0.5
/** How long a failure ranks its endpoint below healthy ones. */
const troubleMs = 30_000
const openBackoff = { firstMs: 5_000, maxMs: 60_000 }
/** A longer `Retry-After` is cut, because the endpoint can recover earlier. */
const maxPauseMs = 10 * 60_000
/** Connections lost within this time count as one failure. */
const outageWindowMs = 1_000
/** The credit that one request takes. Each millisecond adds 1, so at least one request a second is admitted. */
export const admissionCost = 1_000
/** A half-open circuit closes when responses exceed failures by this number. */
const minLeadToClose = 10
const hopelessAfterFailures = 20
/** If the clock is set back by more, the circuit is reset. */
const clockJitterMs = 1_000

export const freshCircuit: Circuit = {
  at: 'closed',
  window: [],
  since: 0,
  pausedUntil: 0,
  troubledUntil: 0,
  connectionLostAt: 0,
  failuresInARow: 0,
  forcedAt: 0,
  openings: 0,
}

export function step(circuitBefore: Circuit, event: CircuitEvent): Circuit {
  const circuit = circuitAt(circuitBefore, event.now)
  switch (event.type) {
    case 'clock.ticked':
      return circuit
    case 'request.arrived':
      return circuit.at === 'half_open' ? addCredit(circuit, event.now) : circuit
    case 'request.admitted':
      return circuit.at === 'half_open'
        ? countStarted({ ...circuit, credit: Math.max(0, circuit.credit - admissionCost) }, event.now, 1)
        : countStarted(circuit, event.now, 1)
    case 'request.forced':
      return countStarted(isHopeless(circuit) ? { ...circuit, forcedAt: event.now } : circuit, event.now, 1)
    case 'attempt.abandoned':
      return event.startedAt < circuit.since ? circuit : countStarted(circuit, event.startedAt, -1)
    case 'response.started':
      return event.startedAt < circuit.since
        ? { ...circuit, failuresInARow: 0 }
        : recordFirstByte(circuit, event.startedAt)
    case 'attempt.failed':
      return event.startedAt < circuit.since ? recordLateFailure(circuit) : recordFailure(circuit, event)
    case 'pause.requested':
      return pause(circuit, event)
    default:
      return event satisfies never
  }
}

/** Half-opens the circuit when its time has come. Resets it if the clock was set back: it would stay open too long. */
function circuitAt(circuit: Circuit, now: number): Circuit {
  const latest = Math.max(
    circuit.since,
    circuit.forcedAt,
    circuit.pausedUntil - maxPauseMs,
    circuit.troubledUntil - troubleMs,
  )
  if (now < latest - clockJitterMs) return freshCircuit
  if (circuit.at !== 'open' || now < circuit.until) return circuit
  return {
    ...commonState(circuit),
    since: now,
    at: 'half_open',
    started: 0,
    responses: 0,
    failed: 0,
    credit: admissionCost,
    creditAt: now,
  }
}

/** Returns the fields that all states share, without those of the current state. */
function commonState(circuit: Circuit): CommonState {
  const { since, pausedUntil, troubledUntil, connectionLostAt, failuresInARow, forcedAt, openings } = circuit
  return { since, pausedUntil, troubledUntil, connectionLostAt, failuresInARow, forcedAt, openings }
}

/** Adds credit for the elapsed time, and a bonus in proportion to the lead of responses over failures. */
function addCredit(circuit: CommonState & HalfOpenState, now: number): Circuit {
  const elapsed = Math.max(0, now - circuit.creditAt)
  const bonusCredit = Math.max(0, (circuit.responses - circuit.failed) / minLeadToClose) * admissionCost
  return {
    ...circuit,
    credit: Math.min(admissionCost + bonusCredit, circuit.credit + elapsed + bonusCredit),
    creditAt: now,
  }
}

function countStarted(circuit: Circuit, startedAt: number, count: 1 | -1): Circuit {
  switch (circuit.at) {
    case 'closed':
      return { ...circuit, window: countOutcomes(circuit.window, startedAt, { started: count }) }
    case 'open':
      return circuit
    case 'half_open':
      return { ...circuit, started: circuit.started + count }
    default:
      return circuit satisfies never
  }
}

function recordFirstByte(circuit: Circuit, startedAt: number): Circuit {
  switch (circuit.at) {
    case 'closed': {
      const window = countOutcomes(circuit.window, startedAt, { responses: 1 })
      return { ...circuit, window, failuresInARow: 0 }
    }
    case 'open':
      return { ...circuit, failuresInARow: 0 }
    case 'half_open': {
      const responses = circuit.responses + 1
      if (responses - circuit.failed < minLeadToClose) return { ...circuit, responses, failuresInARow: 0 }
      return { ...commonState(circuit), failuresInARow: 0, openings: 0, at: 'closed', window: [] }
    }
    default:
      return circuit satisfies never
  }
}

/** Counts the failure of a request from before this state only among consecutive failures. */
const recordLateFailure = (circuit: Circuit): Circuit => ({ ...circuit, failuresInARow: circuit.failuresInARow + 1 })

type FailureEvent = Extract<CircuitEvent, { type: 'attempt.failed' }>

/** Applies a failure. Of connections that were lost together only the first counts. */
function recordFailure(circuit: Circuit, event: FailureEvent): Circuit {
  const { now, isConnectionLost, startedAt } = event
  if (!isConnectionLost) return applyFailure(circuit, event)
  if (startedAt < circuit.connectionLostAt && now - circuit.connectionLostAt < outageWindowMs)
    return countStarted(circuit, startedAt, -1)
  return applyFailure({ ...circuit, connectionLostAt: now }, event)
}

function applyFailure(circuit: Circuit, event: FailureEvent): Circuit {
  const { now, startedAt } = event
  // The first byte was counted as a response. A later failure undoes that.
  const retractedResponses = event.hasResponded ? 1 : 0
  const failureCounts = { failuresInARow: circuit.failuresInARow + 1, troubledUntil: now + troubleMs }
  switch (circuit.at) {
    case 'closed': {
      const window = countOutcomes(circuit.window, startedAt, { responses: -retractedResponses, failed: 1 })
      const failedCircuit: Circuit = { ...circuit, ...failureCounts, window }
      return isFailing(window, startedAt) ? openCircuit(failedCircuit, now, 'failure_rate') : failedCircuit
    }
    case 'open':
      return { ...circuit, ...failureCounts }
    case 'half_open': {
      const tally = { responses: circuit.responses - retractedResponses, failed: circuit.failed + 1 }
      const failedCircuit: Circuit = { ...circuit, ...failureCounts, ...tally }
      return tally.failed / circuit.started >= reopeningFailureRate
        ? openCircuit(failedCircuit, now, 'failed_again')
        : failedCircuit
    }
    default:
      return circuit satisfies never
  }
}

function openCircuit(circuit: Circuit, now: number, reason: OpenState['reason']): Circuit {
  const openings = circuit.openings + 1
  const until = now + backoffDelay(openBackoff, openings)
  return { ...commonState(circuit), since: now, openings, at: 'open', until, reason }
}

/** Pauses the endpoint. The request counts neither as a response nor as a failure, because the endpoint is not broken. */
function pause(
  circuitBefore: Circuit,
  { now, startedAt, durationMs }: Extract<CircuitEvent, { type: 'pause.requested' }>,
): Circuit {
  const circuit = startedAt < circuitBefore.since ? circuitBefore : countStarted(circuitBefore, startedAt, -1)
  const pausedUntil = Math.max(circuit.pausedUntil, now + Math.min(durationMs, maxPauseMs))
  return { ...circuit, pausedUntil, troubledUntil: Math.max(circuit.troubledUntil, now + troubleMs) }
}

export const isHopeless = ({ failuresInARow }: Circuit) => failuresInARow >= hopelessAfterFailures
