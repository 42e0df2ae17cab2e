import { type PicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { AttemptNote } from '#spend/ledger/generation.ts'
import type { AttemptFailure } from '../attempt/failure/failure.ts'
import type { Restriction } from '../plan/circuit-health.ts'
import type { Target } from '../plan/plan.ts'
import { openCircuitNote } from './skipped-endpoints.ts'

/** The attempts of a request in their order, and the times of the current one. */
export class AttemptNotes {
  readonly all: AttemptNote[] = []
  readonly #elapsed: () => number
  #startedAt = 0
  #spanId: string | undefined
  #connectMs: number | undefined
  #firstByteMs: number | undefined

  /** @param elapsed a monotonic clock in whole milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed
  }

  /** The start of the current attempt, by the monotonic clock. */
  get startedAt(): number {
    return this.#startedAt
  }

  get spanId(): string | undefined {
    return this.#spanId
  }

  start(spanId: string | undefined): void {
    this.#startedAt = this.#elapsed()
    this.#spanId = spanId
    this.#connectMs = undefined
    this.#firstByteMs = undefined
  }

  /** Notes how long the current attempt waited for its connection and for its first byte, if these came. */
  noteWaits(connectMs: number | undefined, firstByteMs: number | undefined): void {
    this.#connectMs = connectMs
    this.#firstByteMs = firstByteMs
  }

  /** Adds the current attempt at its end, or one that was not sent. */
  add(
    { id, provider }: Target['endpoint'],
    outcome: AttemptNote['outcome'],
    failure?: Pick<AttemptFailure, 'reason' | 'providerError'>,
  ): void {
    const durationMs = this.#elapsed() - this.#startedAt
    const note: AttemptNote = { endpointId: id, provider, outcome, durationMs }
    if (failure && outcome !== 'client_left') {
      note.reason = failure.reason
      if (failure.providerError) note.error = failure.providerError
    }
    if (this.#connectMs !== undefined) note.connectMs = this.#connectMs
    if (this.#firstByteMs !== undefined) note.firstByteMs = this.#firstByteMs
    if (this.#spanId !== undefined) note.spanId = this.#spanId
    this.all.push(note)
  }

  addOpenCircuit(target: Target, restriction: Restriction): void {
    this.all.push(openCircuitNote(target, restriction))
  }

  /** Notes what limits are charged for the latest attempt without a report of its provider. */
  noteUnconfirmed(amount: PicoUsd): void {
    const latest = this.all.at(-1)
    if (latest && amount > 0n) latest.unconfirmedUsd = toUsd(amount)
  }
}
