import type { Fault } from '#platform/core/fault.ts'
import { type PicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { AttemptNote, SkippedEndpoints } from '#spend/ledger/generation.ts'
import type { AttemptFailure } from '../attempt/failure/failure.ts'
import type { Restriction } from '../plan/circuit-health.ts'
import type { Target } from '../plan/plan.ts'
import { createOpenCircuitNote, listSkippedEndpoints, type PlanningResult } from './skipped-endpoints.ts'

/** The times from the start of an attempt to its connection and to the first byte of its response, if it got that far. */
export type AttemptTimings = { connectMs: number | undefined; firstByteMs: number | undefined }

/** The plan of a request, its attempts in their order, and the times of the current one. */
export class AttemptNotes {
  readonly notes: AttemptNote[] = []
  readonly #elapsed: () => number
  #plan: PlanningResult | undefined
  /** The ids of endpoints that a guardrail forbids since the plan was made. */
  #forbiddenIds: Set<string> | undefined
  #target: Target | undefined
  #startedAt = 0
  #spanId: string | undefined
  #connectMs: number | undefined
  #firstByteMs: number | undefined

  /** @param elapsed a monotonic clock in whole milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed
  }

  /** The endpoint of the current attempt. */
  get currentTarget(): Target | undefined {
    return this.#target
  }

  /** The start of the current attempt, by the monotonic clock. */
  get startedAt(): number {
    return this.#startedAt
  }

  get spanId(): string | undefined {
    return this.#spanId
  }

  get orderedBy(): PlanningResult['plan']['orderedBy'] | undefined {
    return this.#plan?.plan.orderedBy
  }

  /** The candidate endpoints without an attempt, by reason; undefined if there are none. */
  get skippedEndpoints(): SkippedEndpoints | undefined {
    return this.#plan && listSkippedEndpoints(this.#plan, this.notes, this.#forbiddenIds)
  }

  notePlan(plan: PlanningResult): void {
    this.#plan = plan
  }

  start(target: Target, spanId: string | undefined): void {
    this.#target = target
    this.#startedAt = this.#elapsed()
    this.#spanId = spanId
    this.#connectMs = undefined
    this.#firstByteMs = undefined
  }

  /** Notes the times of the current attempt until its connection and until its first byte. */
  noteTimings({ connectMs, firstByteMs }: AttemptTimings): void {
    this.#connectMs = connectMs
    this.#firstByteMs = firstByteMs
  }

  /** Adds the current attempt at its end. */
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
    this.notes.push(note)
  }

  /** Notes an endpoint that was skipped because its circuit is open. */
  noteOpenCircuit(target: Target, restriction: Restriction): void {
    this.notes.push(createOpenCircuitNote(target, restriction))
  }

  /** Notes an endpoint that was skipped because a guardrail changed and now forbids it. */
  noteForbidden({ endpoint }: Target): void {
    this.#forbiddenIds ??= new Set()
    this.#forbiddenIds.add(endpoint.id)
  }

  /**
   * Notes an attempt that was not sent: the request cannot be encoded, or the endpoint is no longer reachable. Only in the
   * second case the message cannot repeat content of the request.
   */
  noteUnsent({ endpoint }: Target, { kind, message }: Fault): void {
    this.add(endpoint, kind, kind === 'unavailable' ? { reason: message } : undefined)
  }

  /** Notes the amount that limits are charged for the latest attempt although its provider reported no usage. */
  noteUnconfirmed(amount: PicoUsd): void {
    const latest = this.notes.at(-1)
    if (latest && amount > 0n) latest.unconfirmedUsd = toUsd(amount)
  }
}
