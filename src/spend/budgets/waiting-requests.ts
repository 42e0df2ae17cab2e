import type { PicoUsd } from '#platform/core/pico-usd.ts'

/**
 * The result of a reservation. `reserved`: requests in flight hold the money. `cut_off`: a server that does not
 * report holds it. `over`: the period has ended.
 */
export type ReserveOutcome = 'granted' | 'spent' | 'reserved' | 'cut_off' | 'over'

export type WaitingRequest = {
  need: PicoUsd
  /** The limit at its arrival. It can have changed since. */
  limit: PicoUsd
  settle: (outcome: ReserveOutcome) => void
  fail: (error: unknown) => void
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
   * Refuses requests that would not fit even if all requests in flight cost nothing, and those that waited too long.
   * @param soon the money that can become available soon. @param silent the money of servers that do not report.
   * @param now by the clock of their deadlines.
   */
  refuse({ soon, silent }: { soon: PicoUsd; silent: PicoUsd }, now: number): void {
    this.#requests = this.#requests.filter(({ need, settle, deadline }) => {
      if (need > soon + silent) settle('spent')
      else if (need > soon) settle('cut_off')
      else if (now >= deadline) settle('reserved')
      else return true
      return false
    })
  }

  settleAll(outcome: ReserveOutcome): void {
    for (const { settle } of this.#requests.splice(0)) settle(outcome)
  }

  failAll(error: unknown): void {
    for (const { fail } of this.#requests.splice(0)) fail(error)
  }
}
