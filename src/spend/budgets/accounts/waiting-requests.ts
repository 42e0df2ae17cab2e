import type { PicoUsd } from '#platform/core/pico-usd.ts'

/**
 * The result of a reservation. `spent`: the limit is too small. `reserved`: requests in flight have reserved the
 * money. `cut_off`: a server that does not report has leased it. `period_ended`: nothing more is reserved in this period.
 */
export type ReserveOutcome = 'granted' | 'spent' | 'reserved' | 'cut_off' | 'period_ended'

export type WaitingRequest = {
  need: PicoUsd
  /** The limit when the request arrived. The limit can have changed since. */
  limit: PicoUsd
  settle: (outcome: ReserveOutcome) => void
  fail: (error: unknown) => void
  /** The end of the wait, on the monotonic clock of the server. */
  deadline: number
}

/** The queue of requests that wait for money of one budget. */
export class WaitingRequests {
  #requests: WaitingRequest[] = []

  get isEmpty(): boolean {
    return this.#requests.length === 0
  }

  get first(): WaitingRequest | undefined {
    return this.#requests[0]
  }

  /** The total need. */
  get totalNeed(): PicoUsd {
    return this.#requests.reduce((sum, { need }) => sum + need, 0n)
  }

  add(request: WaitingRequest): void {
    this.#requests.push(request)
  }

  /** Grants the first request. */
  grantFirst(): void {
    this.#requests.shift()?.settle('granted')
  }

  /**
   * Refuses requests that need more than all reservations could release, and those past their deadline.
   * @param money `availableSoon` can become available soon; `unresponsive` is leased by servers that do not report.
   * @param now on the clock of `deadline`.
   */
  refuse({ availableSoon, unresponsive }: { availableSoon: PicoUsd; unresponsive: PicoUsd }, now: number): void {
    const remainingRequests: WaitingRequest[] = []
    for (const request of this.#requests) {
      const { need, settle, deadline } = request
      if (need > availableSoon + unresponsive) settle('spent')
      else if (need > availableSoon) settle('cut_off')
      else if (now >= deadline) settle('reserved')
      else remainingRequests.push(request)
    }
    this.#requests = remainingRequests
  }

  settleAll(outcome: ReserveOutcome): void {
    for (const { settle } of this.#requests.splice(0)) settle(outcome)
  }

  failAll(error: unknown): void {
    for (const { fail } of this.#requests.splice(0)) fail(error)
  }
}
