import { maxPico, type PicoUsd } from '#platform/core/pico-usd.ts'
import type { Grant, LeaseReport } from '../leases/lease-exchange.ts'
import { AccountSpending } from './spending.ts'
import { type ReserveOutcome, type WaitingRequest, WaitingRequests } from './waiting-requests.ts'

/**
 * Sends a report to the database, which can request more money.
 * @param limit the limit of the request that waits for money; undefined if none waits. Then the latest limit applies.
 */
export type Exchange = (report: () => AccountReport, limit: PicoUsd | undefined) => Promise<Grant>
type AccountReport = Omit<LeaseReport, 'server' | 'period'>

type BudgetAccountDeps = {
  exchange: Exchange
  /** The maximum time that a request waits for money that other requests have reserved. */
  waitMs: number
  /** The maximum time that requests wait for a response of the database. */
  stallMs: number
  elapsed: () => number
}

/**
 * The money of one budget at this server, in one period. The server leases it from the database in slices, so most
 * requests are admitted without the database. If too little is available, a request waits until others release money.
 * Leased money belongs to this server until it returns it. While the database is unreachable, only that money is used.
 */
export class BudgetAccount {
  /** The time of the last use, by the estimated clock of the database. */
  usedAt = 0
  readonly spending = new AccountSpending()
  readonly #deps: BudgetAccountDeps
  #availableAmount = 0n
  #reservedAmount = 0n
  /** The number of reservations that are not settled, including those of amount 0. */
  #unsettledCount = 0
  /** The lowest available amount since the last report, which is idle money. */
  #idleAmount = 0n
  /** Whether the database may have a lease of this account. */
  #isLeased = false
  /** The number of revocations, by which a pending exchange notices that its grant was revoked. */
  #revocations = 0
  /** By the monotonic clock `elapsed`. */
  #exchangeStartedAt = 0
  /** The report of an amount that exceeded its reservation. */
  #earlyReport: Promise<unknown> | undefined
  readonly #waitingRequests = new WaitingRequests()
  /** The pending exchange with the database. */
  #pendingExchange: Promise<Grant> | undefined
  /** Whether a call of `serve` works, and whether it must repeat its work. */
  #isServing = false
  #isServeRequested = false

  constructor(deps: BudgetAccountDeps) {
    this.#deps = deps
  }

  get hasWaiting(): boolean {
    return !this.#waitingRequests.isEmpty
  }

  /** Refuses waiting requests if the database does not answer. */
  failStalled(): void {
    const { elapsed, stallMs } = this.#deps
    if (!this.#pendingExchange || elapsed() < this.#exchangeStartedAt + stallMs) return
    this.failWaiting(new Error('The database does not respond.'))
  }

  /** Whether the account has no reservations, no unreported spending, no waiting requests and no lease. */
  get isIdle(): boolean {
    const isUnused = this.#unsettledCount === 0 && this.#availableAmount <= 0n && this.spending.isConfirmed
    return isUnused && !this.#isLeased && this.#waitingRequests.isEmpty && !this.#pendingExchange
  }

  /** Reserves available money without the database. @returns whether it was sufficient. */
  tryReserve(need: PicoUsd): boolean {
    if (this.hasWaiting || this.#availableAmount < need) return false
    this.#reserve(need)
    return true
  }

  /** Opens a reservation of 0, for a running request that the budget did not admit but must count. */
  openReservation(): void {
    this.#reserve(0n)
  }

  #reserve(need: PicoUsd): void {
    this.#unsettledCount++
    this.#availableAmount -= need
    this.#reservedAmount += need
    if (this.#availableAmount < this.#idleAmount) this.#idleAmount = this.#availableAmount
  }

  /** Reserves money, or waits for it. */
  async reserve(need: PicoUsd, limit: PicoUsd): Promise<ReserveOutcome> {
    if (this.tryReserve(need)) return 'granted'
    const { promise, resolve, reject } = Promise.withResolvers<ReserveOutcome>()
    const { elapsed, waitMs } = this.#deps
    this.#waitingRequests.add({ need, limit, settle: resolve, fail: reject, deadline: elapsed() + waitMs })
    this.#serveInBackground()
    return promise
  }

  /**
   * Releases a reservation, less the spent amount. If more was spent than reserved, it reports at once, because no lease
   * covers the excess.
   */
  settle(reserved: PicoUsd, spent: PicoUsd): void {
    this.spending.add(spent)
    this.#release(reserved, spent)
  }

  /** Settles a request still in progress. Call `record` when its spending was passed to the ledger. */
  settleEarly(reserved: PicoUsd, spent: PicoUsd): { record: () => void } {
    const record = this.spending.addEarly(spent)
    this.#release(reserved, spent)
    return { record }
  }

  #release(reserved: PicoUsd, spent: PicoUsd): void {
    this.#unsettledCount--
    this.#reservedAmount -= reserved
    this.#availableAmount += reserved - spent
    if (this.#availableAmount < this.#idleAmount) this.#idleAmount = this.#availableAmount
    if (this.hasWaiting) this.#serveInBackground()
    if (this.#availableAmount < 0n) this.#reportNow()
  }

  /** Reports at once. If this fails, the next regular report has the same amounts. */
  #reportNow(): void {
    this.#earlyReport ??= this.#send()
      .catch(() => undefined)
      .finally(() => {
        this.#earlyReport = undefined
      })
  }

  /** Returns all available and pending money with the next report, because it was granted under another limit. */
  revoke(): void {
    this.#revocations++
    this.#releaseAvailable()
  }

  /** Removes the available money, so that the next report returns it. */
  #releaseAvailable(): void {
    if (this.#availableAmount > 0n) this.#availableAmount = 0n
    this.#idleAmount = 0n
  }

  /** If the database cannot be reached, the waiting requests fail. */
  #serveInBackground(): void {
    this.serve().catch((error: unknown) => this.failWaiting(error))
  }

  /**
   * Serves waiting requests in order, with available money and new grants. A call while another one works makes that one
   * repeat its work, and returns at once.
   */
  async serve(): Promise<void> {
    this.#isServeRequested = true
    if (this.#isServing) return
    this.#isServing = true
    try {
      while (this.#isServeRequested) {
        this.#isServeRequested = false
        await this.#serveOnce()
      }
    } finally {
      this.#isServing = false
    }
  }

  /** Serves waiting requests, requests money for the first that remains, and refuses those that no money can serve. */
  async #serveOnce(): Promise<void> {
    this.#serveWaiting()
    const { first } = this.#waitingRequests
    if (!first) return
    const { granted, free, heldByOthers, heldByUnresponsive, isCurrentPeriod } = await this.#send(first)
    if (granted > 0n) this.#isServeRequested = true
    this.#serveWaiting()
    if (!isCurrentPeriod) this.#waitingRequests.settleAll('period_ended')
    const availableSoon = free + heldByOthers + this.#availableAmount + this.#reservedAmount
    this.#waitingRequests.refuse({ availableSoon, unresponsive: heldByUnresponsive }, this.#deps.elapsed())
  }

  /** Reports spending and returns the money that was idle since the last report, except `standbyAmount`. */
  reportInUse(standbyAmount: PicoUsd): Promise<void> {
    return this.#report(this.#idleAmount - standbyAmount)
  }

  /** Reports spending and returns all available money. */
  reportUnused(): Promise<void> {
    return this.#report(this.#availableAmount)
  }

  /** @param returned the money to return. If requests wait for money, nothing is returned. */
  async #report(returned: PicoUsd): Promise<void> {
    if (this.#waitingRequests.isEmpty) this.#availableAmount -= maxPico(returned, 0n)
    this.#idleAmount = maxPico(this.#availableAmount, 0n)
    await this.#send()
  }

  /** Sends the last reports. The second one ends the lease. */
  async close(): Promise<void> {
    await this.#earlyReport
    await this.reportUnused()
    await this.#earlyReport
    if (!this.isIdle) await this.reportUnused()
  }

  /** Fails all waiting requests, for example if the database is unreachable. */
  failWaiting(error: unknown): void {
    this.#waitingRequests.failAll(error)
  }

  #serveWaiting(): void {
    for (
      let first = this.#waitingRequests.first;
      first && this.#availableAmount >= first.need;
      first = this.#waitingRequests.first
    ) {
      this.#reserve(first.need)
      this.#waitingRequests.grantFirst()
    }
  }

  /** Sends one exchange at a time, because each reports the result of the previous one. */
  async #send(first?: WaitingRequest): Promise<Grant> {
    while (this.#pendingExchange) await this.#pendingExchange.catch(() => undefined)
    this.#pendingExchange = this.#exchangeOnce(first)
    return this.#pendingExchange
  }

  /**
   * Reports to the database and adds the granted amount to the available money.
   * - The grant becomes available before the next exchange starts. A report without it would return the money to other
   *   servers, and it would be spent twice. If the response is lost, the next report returns the possible grant and repeats
   *   the spending, which counts once.
   * - For a waiting request, all available money is returned first. Otherwise servers would wait for each other's idle
   *   money.
   * - Spending is reported only when the ledger has it, because the account of another interval starts with the sum of the
   *   ledger. Until then it counts as held.
   */
  async #exchangeOnce(first: WaitingRequest | undefined): Promise<Grant> {
    const revocations = this.#revocations
    if (first) this.#releaseAvailable()
    const need = first ? first.need - this.#availableAmount : 0n
    const { totalNeed } = this.#waitingRequests
    let total = 0n
    const report = () => {
      total = this.spending.written
      const { confirmed, unwritten } = this.spending
      const held = maxPico(this.#availableAmount, 0n) + this.#reservedAmount + unwritten
      return { total, confirmed, held, unwritten, need, totalNeed }
    }
    this.#exchangeStartedAt = this.#deps.elapsed()
    this.#isLeased = true
    try {
      const response = await this.#deps.exchange(report, first?.limit)
      this.spending.confirm(total)
      this.#isLeased = !response.isLeaseEnded
      if (this.#revocations === revocations) this.#availableAmount += response.granted
      return response
    } finally {
      this.#pendingExchange = undefined
    }
  }
}
