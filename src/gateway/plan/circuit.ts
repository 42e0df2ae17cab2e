import { counted, isFailing, type Window } from './circuit-window.ts'

/** Why an endpoint is not asked: too many failed, it failed again when it was tried, or it asked to be left alone. */
export type ShutReason = 'failure_rate' | 'failed_again' | 'retry_after'

/** The circuit of one endpoint, as docs/decisions/0037 describes it. Times are in milliseconds since the epoch. */
export type Circuit = Always & (Closed | Open | HalfOpen)

type Always = {
  /** Results of requests that began before say nothing of this state. */
  readonly since: number
  /** Until then the endpoint asked to be left alone. */
  readonly pausedUntil: number
  /** Until then it is asked after those without trouble. */
  readonly troubledUntil: number
  /** When a connection broke last that was an event of its own. */
  readonly brokenAt: number
  /** In the order in which they came, whenever their requests began. */
  readonly failuresInARow: number
  /** When it was asked last though nothing had helped. */
  readonly triedAt: number
  /** The number of times that it has opened since it was last closed. */
  readonly openings: number
}

type Closed = { readonly at: 'closed'; readonly window: Window }
type Open = { readonly at: 'open'; readonly until: number; readonly reason: Exclude<ShutReason, 'retry_after'> }
/** Counts of the requests that began since. `credit` admits further ones; each takes `admission` of it. */
type HalfOpen = {
  readonly at: 'half_open'
  readonly begun: number
  readonly answered: number
  readonly failed: number
  readonly credit: number
  readonly creditAt: number
}

export type CircuitEvent =
  | { type: 'clock.ticked'; now: number }
  /** Somebody would like to ask the endpoint. */
  | { type: 'request.came'; now: number }
  | { type: 'request.admitted'; now: number }
  /** A request goes there that nobody else has answered, whatever the state. */
  | { type: 'request.insisted'; now: number }
  /** It ended, and tells nothing: its client left, or what it asked for was wrong. */
  | { type: 'attempt.left'; now: number; begunAt: number }
  /** The first byte of an answer. */
  | { type: 'answer.began'; now: number; begunAt: number }
  /** `answered`: after its first byte. `severed`: the connection broke, perhaps together with others. */
  | { type: 'attempt.failed'; now: number; begunAt: number; answered: boolean; severed: boolean }
  /** `Retry-After`, instead of an answer. */
  | { type: 'pause.asked'; now: number; begunAt: number; forMs: number }

const tooHighRate = 0.5
const troubleMs = 30_000
const firstOpenMs = 5_000
const longestOpenMs = 60_000
const longestPauseMs = 10 * 60_000
/** Failures within this time count as one. */
const togetherMs = 1_000
/** The credit that one request takes. A millisecond brings 1, so that at least one request a second is admitted. */
const admission = 1_000
/** So many more successes than failures close a half-open circuit; each lets in one more of so many requests. */
const aheadToClose = 10
const hopelessFailures = 20
const hopelessPauseMs = 1_000
/** The clock may be set back by less without anything being forgotten. */
const clockJitterMs = 1_000

export const freshCircuit: Circuit = {
  at: 'closed',
  window: [],
  since: 0,
  pausedUntil: 0,
  troubledUntil: 0,
  brokenAt: 0,
  failuresInARow: 0,
  triedAt: 0,
  openings: 0,
}

export function step(before: Circuit, event: CircuitEvent): Circuit {
  const circuit = atTime(before, event.now)
  switch (event.type) {
    case 'clock.ticked':
      return circuit
    case 'request.came':
      return circuit.at === 'half_open' ? withCredit(circuit, event.now) : circuit
    case 'request.admitted':
      return circuit.at === 'half_open'
        ? begun({ ...circuit, credit: Math.max(0, circuit.credit - admission) }, event.now, 1)
        : begun(circuit, event.now, 1)
    case 'request.insisted':
      return begun(isHopeless(circuit) ? { ...circuit, triedAt: event.now } : circuit, event.now, 1)
    case 'attempt.left':
      return event.begunAt < circuit.since ? circuit : begun(circuit, event.begunAt, -1)
    case 'answer.began':
      return event.begunAt < circuit.since ? { ...circuit, failuresInARow: 0 } : answered(circuit, event.begunAt)
    case 'attempt.failed':
      return event.begunAt < circuit.since ? late(circuit) : noted(circuit, event)
    case 'pause.asked':
      return paused(circuit, event)
    default:
      return event satisfies never
  }
}

/** The circuit at a time. A clock that was set back resets it: no endpoint stays shut until the clock has caught up. */
function atTime(circuit: Circuit, now: number): Circuit {
  const latest = Math.max(
    circuit.since,
    circuit.triedAt,
    circuit.pausedUntil - longestPauseMs,
    circuit.troubledUntil - troubleMs,
  )
  if (now < latest - clockJitterMs) return freshCircuit
  if (circuit.at !== 'open' || now < circuit.until) return circuit
  return {
    ...always(circuit),
    since: now,
    at: 'half_open',
    begun: 0,
    answered: 0,
    failed: 0,
    credit: admission,
    creditAt: now,
  }
}

/** Spelt out: whatever else the state had ends with it. */
function always(circuit: Circuit): Always {
  const { since, pausedUntil, troubledUntil, brokenAt, failuresInARow, triedAt, openings } = circuit
  return { since, pausedUntil, troubledUntil, brokenAt, failuresInARow, triedAt, openings }
}

function withCredit(circuit: Always & HalfOpen, now: number): Circuit {
  const elapsed = Math.max(0, now - circuit.creditAt)
  const share = Math.max(0, (circuit.answered - circuit.failed) / aheadToClose) * admission
  return { ...circuit, credit: Math.min(admission + share, circuit.credit + elapsed + share), creditAt: now }
}

function begun(circuit: Circuit, at: number, count: 1 | -1): Circuit {
  switch (circuit.at) {
    case 'closed':
      return { ...circuit, window: counted(circuit.window, at, { begun: count }) }
    case 'open':
      return circuit
    case 'half_open':
      return { ...circuit, begun: circuit.begun + count }
    default:
      return circuit satisfies never
  }
}

function answered(circuit: Circuit, begunAt: number): Circuit {
  switch (circuit.at) {
    case 'closed': {
      const window = counted(circuit.window, begunAt, { answered: 1 })
      return { ...circuit, window, failuresInARow: 0 }
    }
    case 'open':
      return { ...circuit, failuresInARow: 0 }
    case 'half_open': {
      const answered = circuit.answered + 1
      if (answered - circuit.failed < aheadToClose) return { ...circuit, answered, failuresInARow: 0 }
      return { ...always(circuit), failuresInARow: 0, openings: 0, at: 'closed', window: [] }
    }
    default:
      return circuit satisfies never
  }
}

/** It says nothing of this state, but still that nothing has helped yet. */
const late = (circuit: Circuit): Circuit => ({ ...circuit, failuresInARow: circuit.failuresInARow + 1 })

type Failed = Extract<CircuitEvent, { type: 'attempt.failed' }>

function noted(circuit: Circuit, event: Failed): Circuit {
  const { now, severed, begunAt } = event
  if (!severed) return failed(circuit, event)
  if (begunAt < circuit.brokenAt && now - circuit.brokenAt < togetherMs) return begun(circuit, begunAt, -1)
  return failed({ ...circuit, brokenAt: now }, event)
}

function failed(circuit: Circuit, event: Failed): Circuit {
  const { now, begunAt } = event
  // The success that was noted at the first byte is taken back.
  const undone = event.answered ? 1 : 0
  const more = { failuresInARow: circuit.failuresInARow + 1, troubledUntil: now + troubleMs }
  switch (circuit.at) {
    case 'closed': {
      const window = counted(circuit.window, begunAt, { answered: -undone, failed: 1 })
      const next: Circuit = { ...circuit, ...more, window }
      return isFailing(window, begunAt) ? opened(next, now, 'failure_rate') : next
    }
    case 'open':
      return { ...circuit, ...more }
    case 'half_open': {
      const tally = { answered: circuit.answered - undone, failed: circuit.failed + 1 }
      const next: Circuit = { ...circuit, ...more, ...tally }
      return tally.failed / circuit.begun >= tooHighRate ? opened(next, now, 'failed_again') : next
    }
    default:
      return circuit satisfies never
  }
}

function opened(circuit: Circuit, now: number, reason: Open['reason']): Circuit {
  const openings = circuit.openings + 1
  const until = now + Math.min(firstOpenMs * 2 ** (openings - 1), longestOpenMs)
  return { ...always(circuit), since: now, openings, at: 'open', until, reason }
}

function paused(before: Circuit, { now, begunAt, forMs }: Extract<CircuitEvent, { type: 'pause.asked' }>): Circuit {
  const circuit = begunAt < before.since ? before : begun(before, begunAt, -1)
  const pausedUntil = Math.max(circuit.pausedUntil, now + Math.min(forMs, longestPauseMs))
  return { ...circuit, pausedUntil, troubledUntil: Math.max(circuit.troubledUntil, now + troubleMs) }
}

const isHopeless = ({ failuresInARow }: Circuit) => failuresInARow >= hopelessFailures

/**
 * The state of an endpoint for the plan: `troubled` endpoints are asked later, `shut` ones last, `barred` ones never.
 */
export type CircuitHealth = 'fit' | 'troubled' | 'shut' | 'barred'

/** @param circuit as it is at `now`, somebody having come who would like to ask it. */
export function healthOf(circuit: Circuit, now: number): CircuitHealth {
  if (now < circuit.pausedUntil) return 'barred'
  const letsIn = circuit.at === 'closed' || (circuit.at === 'half_open' && circuit.credit >= admission)
  if (!letsIn) return isHopeless(circuit) && now - circuit.triedAt < hopelessPauseMs ? 'barred' : 'shut'
  return now < circuit.troubledUntil ? 'troubled' : 'fit'
}

/** Why an endpoint is not asked as usual, and when that ends; undefined when it is asked. */
export type Shut = { reason: ShutReason; until: number }

export function whyShut(circuit: Circuit, now: number): Shut | undefined {
  const openUntil = circuit.at === 'open' ? circuit.until : now
  if (circuit.pausedUntil > openUntil) return { reason: 'retry_after', until: circuit.pausedUntil }
  if (circuit.at === 'open') return { reason: circuit.reason, until: openUntil }
  if (circuit.at === 'closed' || circuit.credit >= admission) return undefined
  // Half-open: one more is let in each second.
  return { reason: 'failed_again', until: now + Math.max(1, admission - circuit.credit) }
}
