import type { Now } from '#platform/core/clock.ts'
import {
  type Circuit,
  type CircuitEvent,
  type CircuitHealth,
  freshCircuit,
  healthOf,
  type Shut,
  step,
  whyShut,
} from './circuit.ts'

/** One failure of an attempt: only what the circuit needs to know. */
export type Trouble = {
  /** The time that the upstream asked clients to wait, in milliseconds. */
  retryAfterMs?: number | undefined
  /** The connection broke, perhaps together with others. */
  severed?: boolean | undefined
}

/** Permission for one attempt, which reports how the attempt goes. */
export type AttemptPermit = {
  /** The first byte of an answer is here. Told any number of times. */
  answered: () => void
  /** The end, before or after the first byte. Later reports are ignored. */
  failed: (trouble: Trouble) => void
  /** It is over. When nothing was told before, it says nothing of the endpoint. */
  ended: () => void
}

/** A circuit that is not as usual. */
export type CircuitReport = Shut & { name: string; state: 'open' | 'half_open' | 'paused' }

/** One circuit per endpoint, by a name: docs/decisions/0037 tells what they do. */
export type Circuits = {
  health: (name: string) => CircuitHealth
  /** Undefined when the endpoint is to be asked after all others, or not at all. */
  admit: (name: string) => AttemptPermit | undefined
  /**
   * Leave to ask an endpoint when nobody else is left to ask. Undefined when that would be in vain, or was forbidden.
   */
  lastResort: (name: string) => AttemptPermit | undefined
  whyShut: (name: string) => Shut | undefined
  /** Every circuit that does not let everybody in. */
  report: () => CircuitReport[]
}

/** What a circuit has become. */
export type CircuitChange =
  | (Shut & { state: 'open' | 'paused' })
  /** Some are let in again, to try. */
  | { state: 'half_open' }
  | { state: 'closed' }

/** Hears what becomes of circuits. */
export type CircuitWatch = (name: string, change: CircuitChange) => void

/** Beyond so many, circuits that nothing is known against are forgotten. */
const fewCircuits = 10_000

export function createCircuits({ now, watch = () => {} }: { now: Now; watch?: CircuitWatch }): Circuits {
  const circuits = new Map<string, Circuit>()
  let enough = fewCircuits
  const at = (name: string) => circuits.get(name) ?? freshCircuit

  function put(name: string, before: Circuit, after: Circuit): Circuit {
    if (after === before) return after
    if (circuits.size >= enough && !circuits.has(name)) forgetSome()
    circuits.set(name, after)
    if (after.at !== before.at || after.pausedUntil !== before.pausedUntil) tell(name, before, after)
    return after
  }

  function tell(name: string, before: Circuit, after: Circuit): void {
    const isPaused = after.pausedUntil > now()
    if (isPaused && before.pausedUntil <= now())
      watch(name, { state: 'paused', reason: 'retry_after', until: after.pausedUntil })
    if (after.at === before.at) return
    if (after.at === 'open') watch(name, { state: 'open', reason: after.reason, until: after.until })
    else watch(name, { state: after.at })
  }

  function forgetSome(): void {
    for (const [name, circuit] of circuits) {
      const isQuiet = circuit.at === 'closed' && circuit.failuresInARow === 0
      if (isQuiet && circuit.troubledUntil <= now()) circuits.delete(name)
    }
    enough = Math.max(fewCircuits, circuits.size * 2)
  }

  const come = (name: string) => step(at(name), { type: 'request.came', now: now() })

  return {
    health: (name) => healthOf(come(name), now()),
    admit(name) {
      const before = at(name)
      const came = put(name, before, come(name))
      const health = healthOf(came, now())
      if (health === 'shut' || health === 'barred') return undefined
      put(name, came, step(came, { type: 'request.admitted', now: now() }))
      return new Attempt(name, now, at, put)
    },
    lastResort(name) {
      const before = at(name)
      const came = come(name)
      if (healthOf(came, now()) === 'barred') return undefined
      put(name, before, step(came, { type: 'request.insisted', now: now() }))
      return new Attempt(name, now, at, put)
    },
    whyShut: (name) => whyShut(come(name), now()),
    report: () =>
      [...circuits.keys()].flatMap((name) => {
        const circuit = come(name)
        const shut = whyShut(circuit, now())
        if (!shut && circuit.at === 'closed') return []
        const state = circuit.at === 'closed' ? 'paused' : circuit.at
        return [{ name, state, ...(shut ?? { reason: 'failed_again', until: now() }) }]
      }),
  }
}

type Put = (name: string, before: Circuit, after: Circuit) => void

class Attempt implements AttemptPermit {
  readonly #name: string
  readonly #now: Now
  readonly #at: (name: string) => Circuit
  readonly #put: Put
  readonly #begunAt: number
  #answered = false
  #over = false

  constructor(name: string, now: Now, at: (name: string) => Circuit, put: Put) {
    this.#name = name
    this.#now = now
    this.#at = at
    this.#put = put
    this.#begunAt = now()
  }

  answered(): void {
    if (this.#answered || this.#over) return
    this.#answered = true
    const circuit = this.#at(this.#name)
    this.#put(this.#name, circuit, step(circuit, { type: 'answer.began', now: this.#now(), begunAt: this.#begunAt }))
  }

  ended(): void {
    if (this.#over) return
    this.#over = true
    if (this.#answered) return
    const circuit = this.#at(this.#name)
    this.#put(this.#name, circuit, step(circuit, { type: 'attempt.left', now: this.#now(), begunAt: this.#begunAt }))
  }

  failed({ retryAfterMs = 0, severed = false }: Trouble): void {
    if (this.#over) return
    this.#over = true
    const [now, circuit] = [this.#now(), this.#at(this.#name)]
    const begunAt = this.#begunAt
    const event: CircuitEvent =
      retryAfterMs > 0
        ? { type: 'pause.asked', now, begunAt, forMs: retryAfterMs }
        : { type: 'attempt.failed', now, begunAt, answered: this.#answered, severed }
    this.#put(this.#name, circuit, step(circuit, event))
  }
}
