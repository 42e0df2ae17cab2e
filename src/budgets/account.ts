import type { Now } from '#lib/clock.ts'
import type { PicoUsd } from '#lib/pico-usd.ts'
import { type Granted, leaseMs } from './store.ts'

/**
 * How long what is held may be drawn upon without a word with the database: less than the lease, for clocks of servers
 * differ, and what others may have been granted since must not be spent here.
 */
const usableMs = leaseMs - 5000

/** Asks the database: reports what was spent and held, and asks for `need` more. */
export type Exchange = (report: { spent: PicoUsd; held: PicoUsd; need: PicoUsd }) => Promise<Granted>

/** What became of a request for money. */
export type Outcome = 'granted' | 'spent' | 'reserved'

type Waiting = { need: PicoUsd; settle: (outcome: Outcome) => void; fail: (error: unknown) => void; deadline: number }

/**
 * One budget's money at this server, in one period. It is drawn from the database in slices, so that most requests are
 * admitted without asking; who does not get what they need waits for what requests under way give back.
 */
export class Account {
  /** When it was last used, by the clock that is passed in. */
  usedAt = 0
  readonly #exchange: Exchange
  readonly #waitMs: number
  readonly #now: Now
  #available = 0n
  #reserved = 0n
  #unreported = 0n
  /** In a report that the database has not confirmed yet. */
  #reporting = 0n
  #renewedAt = 0
  #askedAt = 0
  #hastening: Promise<boolean> | undefined
  #waiting: Waiting[] = []
  #exchanging: Promise<Granted> | undefined
  #serving = false
  #again = false

  constructor(exchange: Exchange, waitMs: number, now: Now) {
    this.#exchange = exchange
    this.#waitMs = waitMs
    this.#now = now
  }

  get isWaited(): boolean {
    return this.#waiting.length > 0
  }

  /** Who waits for a database that does not answer is not kept for longer than who waits for others. */
  giveUpStalled(): void {
    if (!this.#exchanging || this.#now() < this.#askedAt + this.#waitMs) return
    this.giveUp(new Error('The database does not answer.'))
  }

  /** Whether nothing of it is held, owed or waited for. */
  get isIdle(): boolean {
    const nothing = this.#reserved === 0n && this.#unreported === 0n && this.#available <= 0n
    return nothing && this.#waiting.length === 0 && !this.#exchanging
  }

  /** Takes at once what is there, without asking anybody. */
  take(need: PicoUsd): boolean {
    this.#dropLapsed()
    if (this.#waiting.length > 0 || this.#available < need) return false
    this.#available -= need
    this.#reserved += need
    return true
  }

  /** `spent` when the limit leaves no room; `reserved` when requests under way hold the room for too long. */
  async reserve(need: PicoUsd): Promise<Outcome> {
    if (this.take(need)) return 'granted'
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
    this.#waiting.push({ need, settle: resolve, fail: reject, deadline: this.#now() + this.#waitMs })
    this.serve().catch((error: unknown) => this.giveUp(error))
    return promise
  }

  /**
   * Gives back what was reserved, less what was spent of it. More may be spent than was reserved.
   * @param exposure the most that may be spent without being reported: what a crash would hide.
   * @returns a promise while more than that is: until it is reported, or cannot be.
   */
  settle(reserved: PicoUsd, spent: PicoUsd, exposure: PicoUsd): Promise<void> | undefined {
    this.#reserved -= reserved
    this.#unreported += spent
    this.#available += reserved - spent
    if (this.#waiting.length > 0) this.serve().catch((error: unknown) => this.giveUp(error))
    if (this.#unreported > exposure / 2n) void this.#hasten()
    return this.#exposed > exposure ? this.#untilExposed(exposure) : undefined
  }

  get #exposed(): PicoUsd {
    return this.#unreported + this.#reporting
  }

  async #untilExposed(exposure: PicoUsd): Promise<void> {
    while (this.#exposed > exposure && (await this.#hasten()));
  }

  /** Reports before its time. @returns whether that worked. */
  #hasten(): Promise<boolean> {
    this.#hastening ??= this.#ask(0n)
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#hastening = undefined
      })
    return this.#hastening
  }

  #dropLapsed(): void {
    if (this.#available > 0n && this.#now() - this.#renewedAt >= usableMs) this.#available = 0n
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
    this.#dropLapsed()
    this.#serveWaiting()
    const first = this.#waiting[0]
    if (!first) return
    const { granted, free, others } = await this.#ask(first.need - larger(this.#available, 0n))
    if (granted > 0n) this.#again = true
    this.#serveWaiting()
    this.#refuse(free + others + this.#available + this.#reserved)
  }

  /** Reports what was spent, and gives back what is idle. */
  async report(keepIdle: boolean): Promise<void> {
    if (!keepIdle && this.#waiting.length === 0) {
      const idle = larger(this.#available, 0n)
      this.#available -= idle
    }
    await this.#ask(0n)
  }

  /** The last report. Nothing is asked of the database after it. */
  async close(): Promise<void> {
    await this.#hastening
    await this.report(false)
    await this.#hastening
  }

  /** Without the database nobody can say what is left: who waits is refused rather than let through. */
  giveUp(error: unknown): void {
    for (const { fail } of this.#waiting.splice(0)) fail(error)
  }

  #serveWaiting(): void {
    for (let next = this.#waiting[0]; next && this.#available >= next.need; next = this.#waiting[0]) {
      this.#available -= next.need
      this.#reserved += next.need
      this.#waiting.shift()
      next.settle('granted')
    }
  }

  /** Who could not be served even if all under way cost nothing is told at once; who waited too long, now. */
  #refuse(most: PicoUsd): void {
    const now = this.#now()
    this.#waiting = this.#waiting.filter(({ need, settle, deadline }) => {
      if (need > most) settle('spent')
      else if (now >= deadline) settle('reserved')
      else return true
      return false
    })
  }

  /** One exchange at a time: each says what is held after the one before. */
  async #ask(need: PicoUsd): Promise<Granted> {
    while (this.#exchanging) await this.#exchanging.catch(() => undefined)
    this.#exchanging = this.#exchangeOnce(need)
    return this.#exchanging
  }

  /**
   * What was granted is available before the next exchange may begin: a report that left it out would give it to other
   * servers, and it would be spent twice.
   */
  async #exchangeOnce(need: PicoUsd): Promise<Granted> {
    const spent = this.#unreported
    const held = larger(this.#available, 0n) + this.#reserved
    this.#unreported = 0n
    this.#reporting = spent
    this.#askedAt = this.#now()
    try {
      const answer = await this.#exchange({ spent, held, need: larger(need, 0n) })
      this.#renewedAt = answer.at
      this.#available += answer.granted
      return answer
    } catch (error) {
      this.#unreported += spent
      throw error
    } finally {
      this.#reporting = 0n
      this.#exchanging = undefined
    }
  }
}

const larger = (a: bigint, b: bigint) => (a > b ? a : b)
