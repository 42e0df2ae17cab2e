import type { Now } from '#platform/core/clock.ts'
import { type Circuit, type CircuitEvent, freshCircuit, step } from './circuit.ts'
import { type CircuitHealth, healthOf, type Restriction, restrictionOf } from './circuit-health.ts'

/** A failed attempt, as the circuit breaker sees it. */
type CircuitFailure = {
  /** The upstream's `Retry-After`, in milliseconds. */
  retryAfterMs?: number | undefined
  /** The connection was lost. Several attempts can share one connection. */
  isConnectionLost?: boolean | undefined
}

/** Permission for one attempt. The attempt reports its outcome here. */
export type AttemptPermit = {
  /** Reports the first byte of a response. Repeated calls are ignored. */
  reportFirstByte: () => void
  /** Reports a failure, before or after the first byte. Later reports are ignored. */
  reportFailure: (failure: CircuitFailure) => void
  /** Ends the attempt. Without an earlier report, it does not count for or against the endpoint. */
  end: () => void
}

/** A circuit that is restricted. */
export type CircuitReport = Restriction & { name: string; state: 'open' | 'half_open' | 'paused' }

/** The circuit breakers of all endpoints, by name (docs/decisions/0037). */
export type Circuits = {
  health: (name: string) => CircuitHealth
  /** Permits an attempt. Undefined if the circuit is open or the endpoint unavailable. */
  admit: (name: string) => AttemptPermit | undefined
  /** Permits an attempt although the circuit is open, if no other endpoint remains. Undefined if the endpoint is unavailable. */
  admitLastResort: (name: string) => AttemptPermit | undefined
  restriction: (name: string) => Restriction | undefined
  /** Lists the restricted circuits. */
  listRestricted: () => CircuitReport[]
}

/** The new state of a circuit. */
export type CircuitChange = (Restriction & { state: 'open' | 'paused' }) | { state: 'half_open' } | { state: 'closed' }

export type OnCircuitChange = (name: string, change: CircuitChange) => void

/** Above this number, circuits of healthy endpoints are dropped. */
const minCapacity = 10_000

/** @param onChange is called when a circuit changes its state or is paused. */
export function createCircuits({ now, onChange = () => {} }: { now: Now; onChange?: OnCircuitChange }): Circuits {
  const circuits = new Map<string, Circuit>()
  let capacity = minCapacity
  const findCircuit = (name: string) => circuits.get(name) ?? freshCircuit

  function replaceCircuit(name: string, previous: Circuit, next: Circuit): Circuit {
    if (next === previous) return next
    if (circuits.size >= capacity && !circuits.has(name)) dropHealthy()
    circuits.set(name, next)
    if (next.at !== previous.at || next.pausedUntil !== previous.pausedUntil) notifyChange(name, previous, next)
    return next
  }

  function notifyChange(name: string, previous: Circuit, next: Circuit): void {
    const isPaused = next.pausedUntil > now()
    if (isPaused && previous.pausedUntil <= now())
      onChange(name, { state: 'paused', reason: 'retry_after', until: next.pausedUntil })
    if (next.at === previous.at) return
    if (next.at === 'open') onChange(name, { state: 'open', reason: next.reason, until: next.until })
    else onChange(name, { state: next.at })
  }

  function dropHealthy(): void {
    for (const [name, circuit] of circuits) {
      const isHealthy = circuit.at === 'closed' && circuit.failuresInARow === 0
      if (isHealthy && circuit.troubledUntil <= now()) circuits.delete(name)
    }
    capacity = Math.max(minCapacity, circuits.size * 2)
  }

  /** The circuit as it is when a request arrives. Stored only for an attempt. */
  const withArrival = (name: string) => step(findCircuit(name), { type: 'request.arrived', now: now() })

  return {
    health: (name) => healthOf(withArrival(name), now()),
    admit(name) {
      const previous = findCircuit(name)
      const arrived = replaceCircuit(name, previous, withArrival(name))
      const health = healthOf(arrived, now())
      if (health === 'open' || health === 'unavailable') return undefined
      replaceCircuit(name, arrived, step(arrived, { type: 'request.admitted', now: now() }))
      return new CircuitPermit(name, now, findCircuit, replaceCircuit)
    },
    admitLastResort(name) {
      const previous = findCircuit(name)
      const arrived = withArrival(name)
      if (healthOf(arrived, now()) === 'unavailable') return undefined
      replaceCircuit(name, previous, step(arrived, { type: 'request.forced', now: now() }))
      return new CircuitPermit(name, now, findCircuit, replaceCircuit)
    },
    restriction: (name) => restrictionOf(withArrival(name), now()),
    listRestricted: () =>
      [...circuits.keys()].flatMap((name) => {
        const circuit = withArrival(name)
        const restriction = restrictionOf(circuit, now())
        if (!restriction && circuit.at === 'closed') return []
        const state = circuit.at === 'closed' ? 'paused' : circuit.at
        // Without a restriction, the circuit is half-open and admits a request now.
        return [{ name, state, ...(restriction ?? { reason: 'failed_again', until: now() }) }]
      }),
  }
}

type ReplaceCircuit = (name: string, previous: Circuit, next: Circuit) => void

/** Applies the reports of one attempt to its circuit. */
class CircuitPermit implements AttemptPermit {
  readonly #name: string
  readonly #now: Now
  readonly #findCircuit: (name: string) => Circuit
  readonly #replace: ReplaceCircuit
  readonly #startedAt: number
  #hasResponded = false
  #hasEnded = false

  constructor(name: string, now: Now, findCircuit: (name: string) => Circuit, replaceCircuit: ReplaceCircuit) {
    this.#name = name
    this.#now = now
    this.#findCircuit = findCircuit
    this.#replace = replaceCircuit
    this.#startedAt = now()
  }

  reportFirstByte(): void {
    if (this.#hasResponded || this.#hasEnded) return
    this.#hasResponded = true
    this.#apply({ type: 'response.started', now: this.#now(), startedAt: this.#startedAt })
  }

  end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    if (!this.#hasResponded) this.#apply({ type: 'attempt.abandoned', now: this.#now(), startedAt: this.#startedAt })
  }

  reportFailure({ retryAfterMs = 0, isConnectionLost = false }: CircuitFailure): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const now = this.#now()
    const startedAt = this.#startedAt
    this.#apply(
      retryAfterMs > 0
        ? { type: 'pause.requested', now, startedAt, durationMs: retryAfterMs }
        : { type: 'attempt.failed', now, startedAt, hasResponded: this.#hasResponded, isConnectionLost },
    )
  }

  #apply(event: CircuitEvent): void {
    const circuit = this.#findCircuit(this.#name)
    this.#replace(this.#name, circuit, step(circuit, event))
  }
}
