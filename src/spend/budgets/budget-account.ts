import type { PicoUsd } from '#platform/core/pico-usd.ts'
import { Spending } from './spending.ts'
import type { Grant, LeaseReport } from './store.ts'
import { type ReserveOutcome, type WaitingRequest, WaitingRequests } from './waiting-requests.ts'

/** One exchange with the database: reports what is spent and held, and asks for `need` more, under the limit it came with. */
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
 * One budget's money at this server, in one period. It is drawn from the database in slices, so most requests are
 * admitted without asking the database. A request that finds too little waits for the money that other requests give
 * back. Money that was drawn belongs to this server until the server gives it back: without the database it goes on
 * with that money, and with no more.
 */
export class BudgetAccount {
  /** When it was last used, by the clock that is passed in. */
  usedAt = 0
  readonly spending = new Spending()
  readonly #deps: BudgetAccountDeps
  #available = 0n
  #reserved = 0n
  /** The number of reservations that are not settled, including those of amount 0. */
  #unsettled = 0
  /** The least that was available since the last report: so much lay idle. */
  #idle = 0n
  /** Whether the database may have a lease of this account. */
  #leased = false
  /** The number of times that grants were revoked. */
  #revoked = 0
  #askedAt = 0
  #hastening: Promise<unknown> | undefined
  readonly #waiting = new WaitingRequests()
  #exchanging: Promise<Grant> | undefined
  #serving = false
  #again = false

  constructor(deps: BudgetAccountDeps) {
    this.#deps = deps
  }

  get isWaited(): boolean {
    return !this.#waiting.isEmpty
  }

  /** Refuses who waits for a database that does not answer. */
  giveUpStalled(): void {
    const { elapsed, stallMs } = this.#deps
    if (!this.#exchanging || elapsed() < this.#askedAt + stallMs) return
    this.giveUp(new Error('The database does not answer.'))
  }

  /** Whether nothing of this account is held, owed or waited for, neither here nor in the database. */
  get isIdle(): boolean {
    const nothing = this.#unsettled === 0 && this.#available <= 0n && this.spending.isConfirmed
    return nothing && !this.#leased && this.#waiting.isEmpty && !this.#exchanging
  }

  /** Takes at once what is there, without asking anybody. */
  take(need: PicoUsd): boolean {
    if (this.isWaited || this.#available < need) return false
    this.#setAside(need)
    return true
  }

  #setAside(need: PicoUsd): void {
    this.#unsettled++
    this.#available -= need
    this.#reserved += need
    if (this.#available < this.#idle) this.#idle = this.#available
  }

  /** `spent` when the limit leaves no room; `reserved` when requests under way hold the room for too long. */
  async reserve(need: PicoUsd, limit: PicoUsd): Promise<ReserveOutcome> {
    if (this.take(need)) return 'granted'
    const { promise, resolve, reject } = Promise.withResolvers<ReserveOutcome>()
    const { elapsed, waitMs } = this.#deps
    this.#waiting.add({ need, limit, settle: resolve, fail: reject, deadline: elapsed() + waitMs })
    this.serve().catch((error: unknown) => this.giveUp(error))
    return promise
  }

  /**
   * Gives back what was reserved, less what was spent of it. More may be spent than was reserved: no lease answers for
   * that, so it is reported at once.
   */
  settle(reserved: PicoUsd, spent: PicoUsd): void {
    this.spending.add(spent)
    this.#giveBack(reserved, spent)
  }

  /** The same for a request that goes on: `record` is called when the ledger was given what was spent. */
  settleEarly(reserved: PicoUsd, spent: PicoUsd): { record: () => void } {
    const record = this.spending.addEarly(spent)
    this.#giveBack(reserved, spent)
    return { record }
  }

  #giveBack(reserved: PicoUsd, spent: PicoUsd): void {
    this.#unsettled--
    this.#reserved -= reserved
    this.#available += reserved - spent
    if (this.#available < this.#idle) this.#idle = this.#available
    if (this.isWaited) this.serve().catch((error: unknown) => this.giveUp(error))
    if (this.#available < 0n) this.#hasten()
  }

  /** Reports at once instead of with the next regular report, which makes up for one that fails. */
  #hasten(): void {
    this.#hastening ??= this.#ask()
      .catch(() => undefined)
      .finally(() => {
        this.#hastening = undefined
      })
  }

  /** The next report gives back all money that is available or on its way here: it was granted under another limit. */
  revoke(): void {
    this.#revoked++
    this.#giveBackReady()
  }

  /** Takes the available money out of the next report, which so gives it back. */
  #giveBackReady(): void {
    if (this.#available > 0n) this.#available = 0n
    this.#idle = 0n
  }

  /** Serves those who wait, first come first served, with what is here and what the database grants. */
  async serve(): Promise<void> {
    this.#again = true
    if (this.#serving) return
    this.#serving = true
    try {
      while (this.#again) {
        this.#again = false
        await this.#serveOnce()
      }
    } finally {
      this.#serving = false
    }
  }

  async #serveOnce(): Promise<void> {
    this.#serveWaiting()
    const { first } = this.#waiting
    if (!first) return
    const { granted, free, others, silent, current } = await this.#ask(first)
    if (granted > 0n) this.#again = true
    this.#serveWaiting()
    if (!current) this.#waiting.settleAll('over')
    const soon = free + others + this.#available + this.#reserved
    this.#waiting.refuse({ soon, silent }, this.#deps.elapsed())
  }

  /** Reports what was spent, and gives back what is idle, but for `ready` while it is in use. */
  async report(inUse: boolean, ready: PicoUsd): Promise<void> {
    if (this.#waiting.isEmpty) {
      const idle = inUse ? this.#idle - ready : this.#available
      this.#available -= larger(idle, 0n)
    }
    this.#idle = larger(this.#available, 0n)
    await this.#ask()
  }

  /** The last reports, of which the second ends the lease. Nothing is asked of the database after them. */
  async close(): Promise<void> {
    await this.#hastening
    await this.report(false, 0n)
    await this.#hastening
    if (!this.isIdle) await this.report(false, 0n)
  }

  /** Without the database nobody can say what is left: who waits is refused rather than let through. */
  giveUp(error: unknown): void {
    this.#waiting.failAll(error)
  }

  #serveWaiting(): void {
    for (let next = this.#waiting.first; next && this.#available >= next.need; next = this.#waiting.first) {
      this.#setAside(next.need)
      this.#waiting.grantFirst()
    }
  }

  /** One exchange at a time: each says what is held after the one before. */
  async #ask(first?: WaitingRequest): Promise<Grant> {
    while (this.#exchanging) await this.#exchanging.catch(() => undefined)
    this.#exchanging = this.#exchangeOnce(first)
    return this.#exchanging
  }

  /**
   * A granted amount becomes available before the next exchange may begin. A report without it would give it to other
   * servers, and it would be spent twice. If an answer is lost, nobody knows whether money was granted: the next report
   * gives back such a grant, and reports the spending again, which counts once.
   * If the available money is too little for the waiting request, it is given back together with the question.
   * Otherwise servers would wait for money that lies idle at each other.
   * Spending is reported when the ledger has it, because the account of another interval, which begins with the ledger,
   * may be opened at any moment. Until then it is held.
   */
  async #exchangeOnce(first: WaitingRequest | undefined): Promise<Grant> {
    const revoked = this.#revoked
    if (first) this.#giveBackReady()
    const need = first ? first.need - this.#available : 0n
    const { wanted } = this.#waiting
    let total = 0n
    const report = () => {
      total = this.spending.written
      const { confirmed, unwritten } = this.spending
      const held = larger(this.#available, 0n) + this.#reserved + unwritten
      return { total, confirmed, held, unwritten, need, wanted }
    }
    this.#askedAt = this.#deps.elapsed()
    this.#leased = true
    try {
      const answer = await this.#deps.exchange(report, first?.limit)
      this.spending.confirm(total)
      this.#leased = !answer.ended
      if (this.#revoked === revoked) this.#available += answer.granted
      return answer
    } finally {
      this.#exchanging = undefined
    }
  }
}

const larger = (a: bigint, b: bigint) => (a > b ? a : b)
