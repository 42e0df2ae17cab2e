import type { PicoUsd } from '#platform/core/pico-usd.ts'
import { Spending } from './spending.ts'
import type { Grant, LeaseReport } from './store.ts'
import { type ReserveOutcome, type WaitingRequest, WaitingRequests } from './waiting-requests.ts'

/** Sends a report of spending and reservations to the database and requests `need` more, under the limit of the request. */
export type Exchange = (report: () => AccountReport, limit: PicoUsd | undefined) => Promise<Grant>
type AccountReport = Omit<LeaseReport, 'server' | 'period'>

type BudgetAccountDeps = {
  exchange: Exchange
  /** The longest time that a request waits for money held by other requests. */
  waitMs: number
  /** The longest time that requests wait for the database to answer. */
  stallMs: number
  elapsed: () => number
}

/**
 * The money of one budget at this server, in one period. The server leases it from the database in slices, so most
 * requests are admitted without the database. If too little is available, a request waits until others release money.
 * Leased money belongs to this server until it returns it. While the database is unreachable, only that money is used.
 */
export class BudgetAccount {
  /** The time of the last use. */
  usedAt = 0
  readonly spending = new Spending()
  readonly #deps: BudgetAccountDeps
  #available = 0n
  #reserved = 0n
  /** The number of reservations that are not settled, including those of amount 0. */
  #unsettled = 0
  /** The lowest available amount since the last report: it was idle. */
  #idle = 0n
  /** Whether the database may have a lease of this account. */
  #isLeased = false
  /** How often grants were revoked. */
  #revocations = 0
  #sentAt = 0
  #earlyReport: Promise<unknown> | undefined
  readonly #waiting = new WaitingRequests()
  #exchanging: Promise<Grant> | undefined
  #isServing = false
  #isServeRequested = false

  constructor(deps: BudgetAccountDeps) {
    this.#deps = deps
  }

  get hasWaiting(): boolean {
    return !this.#waiting.isEmpty
  }

  /** Refuses waiting requests if the database does not answer. */
  failStalled(): void {
    const { elapsed, stallMs } = this.#deps
    if (!this.#exchanging || elapsed() < this.#sentAt + stallMs) return
    this.failWaiting(new Error('The database does not answer.'))
  }

  /** Whether nothing is reserved, owed or awaited, at this server or in the database. */
  get isIdle(): boolean {
    const isUnused = this.#unsettled === 0 && this.#available <= 0n && this.spending.isConfirmed
    return isUnused && !this.#isLeased && this.#waiting.isEmpty && !this.#exchanging
  }

  /** Reserves available money without the database. @returns false if it is not enough. */
  take(need: PicoUsd): boolean {
    if (this.hasWaiting || this.#available < need) return false
    this.#reserve(need)
    return true
  }

  #reserve(need: PicoUsd): void {
    this.#unsettled++
    this.#available -= need
    this.#reserved += need
    if (this.#available < this.#idle) this.#idle = this.#available
  }

  /** Reserves money, or waits for it. `spent`: the limit is too small. `reserved`: requests in flight reserve it too long. */
  async reserve(need: PicoUsd, limit: PicoUsd): Promise<ReserveOutcome> {
    if (this.take(need)) return 'granted'
    const { promise, resolve, reject } = Promise.withResolvers<ReserveOutcome>()
    const { elapsed, waitMs } = this.#deps
    this.#waiting.add({ need, limit, settle: resolve, fail: reject, deadline: elapsed() + waitMs })
    this.serve().catch((error: unknown) => this.failWaiting(error))
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

  /** Settles a request that continues. Call `record` when its spending was passed to the ledger. */
  settleEarly(reserved: PicoUsd, spent: PicoUsd): { record: () => void } {
    const record = this.spending.addEarly(spent)
    this.#release(reserved, spent)
    return { record }
  }

  #release(reserved: PicoUsd, spent: PicoUsd): void {
    this.#unsettled--
    this.#reserved -= reserved
    this.#available += reserved - spent
    if (this.#available < this.#idle) this.#idle = this.#available
    if (this.hasWaiting) this.serve().catch((error: unknown) => this.failWaiting(error))
    if (this.#available < 0n) this.#reportNow()
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
    if (this.#available > 0n) this.#available = 0n
    this.#idle = 0n
  }

  /** Serves waiting requests in order, with available money and new grants. */
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

  async #serveOnce(): Promise<void> {
    this.#serveWaiting()
    const { first } = this.#waiting
    if (!first) return
    const { granted, free, others, silent, current } = await this.#send(first)
    if (granted > 0n) this.#isServeRequested = true
    this.#serveWaiting()
    if (!current) this.#waiting.settleAll('over')
    const soon = free + others + this.#available + this.#reserved
    this.#waiting.refuse({ soon, silent }, this.#deps.elapsed())
  }

  /** Reports spending and returns idle money, except `ready` while the account is in use. */
  async report(inUse: boolean, ready: PicoUsd): Promise<void> {
    if (this.#waiting.isEmpty) {
      const idle = inUse ? this.#idle - ready : this.#available
      this.#available -= larger(idle, 0n)
    }
    this.#idle = larger(this.#available, 0n)
    await this.#send()
  }

  /** Sends the last reports. The second one ends the lease. */
  async close(): Promise<void> {
    await this.#earlyReport
    await this.report(false, 0n)
    await this.#earlyReport
    if (!this.isIdle) await this.report(false, 0n)
  }

  /** Fails all waiting requests, for example if the database is unreachable. */
  failWaiting(error: unknown): void {
    this.#waiting.failAll(error)
  }

  #serveWaiting(): void {
    for (let next = this.#waiting.first; next && this.#available >= next.need; next = this.#waiting.first) {
      this.#reserve(next.need)
      this.#waiting.grantFirst()
    }
  }

  /** Sends one exchange at a time, because each reports the result of the one before. */
  async #send(first?: WaitingRequest): Promise<Grant> {
    while (this.#exchanging) await this.#exchanging.catch(() => undefined)
    this.#exchanging = this.#exchangeOnce(first)
    return this.#exchanging
  }

  /**
   * A granted amount becomes available before the next exchange starts. A report without it would return it to other
   * servers, and it would be spent twice. If an answer is lost, the next report returns a possible grant and repeats the
   * spending, which counts once.
   * If the available money is too little for the waiting request, the exchange returns it. Otherwise servers would wait for
   * idle money of each other.
   * Spending is reported only when the ledger has it, because an account of another interval starts with the sum of the
   * ledger. Until then it counts as held.
   */
  async #exchangeOnce(first: WaitingRequest | undefined): Promise<Grant> {
    const revocations = this.#revocations
    if (first) this.#releaseAvailable()
    const need = first ? first.need - this.#available : 0n
    const { totalNeed: wanted } = this.#waiting
    let total = 0n
    const report = () => {
      total = this.spending.written
      const { confirmed, unwritten } = this.spending
      const held = larger(this.#available, 0n) + this.#reserved + unwritten
      return { total, confirmed, held, unwritten, need, wanted }
    }
    this.#sentAt = this.#deps.elapsed()
    this.#isLeased = true
    try {
      const answer = await this.#deps.exchange(report, first?.limit)
      this.spending.confirm(total)
      this.#isLeased = !answer.ended
      if (this.#revocations === revocations) this.#available += answer.granted
      return answer
    } finally {
      this.#exchanging = undefined
    }
  }
}

const larger = (a: bigint, b: bigint) => (a > b ? a : b)
