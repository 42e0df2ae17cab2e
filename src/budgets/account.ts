import type { PicoUsd } from '#lib/pico-usd.ts'
import type { Granted } from './store.ts'

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
  #available = 0n
  #reserved = 0n
  #unreported = 0n
  #waiting: Waiting[] = []
  #exchanging: Promise<void> | undefined
  #serving = false
  #again = false

  constructor(exchange: Exchange, waitMs: number) {
    this.#exchange = exchange
    this.#waitMs = waitMs
  }

  get isWaited(): boolean {
    return this.#waiting.length > 0
  }

  /** Whether nothing of it is held, owed or waited for. */
  get isIdle(): boolean {
    return this.#reserved === 0n && this.#unreported === 0n && this.#available <= 0n && this.#waiting.length === 0
  }

  /** Money held for requests under way. */
  get reserved(): PicoUsd {
    return this.#reserved
  }

  /** Spent here and not reported yet. */
  get unreported(): PicoUsd {
    return this.#unreported
  }

  /** Takes at once what is there, without asking anybody. */
  take(need: PicoUsd): boolean {
    if (this.#waiting.length > 0 || this.#available < need) return false
    this.#available -= need
    this.#reserved += need
    return true
  }

  /** `spent` when the limit leaves no room; `reserved` when requests under way hold the room for too long. */
  async reserve(need: PicoUsd, now: number): Promise<Outcome> {
    if (this.take(need)) return 'granted'
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
    this.#waiting.push({ need, settle: resolve, fail: reject, deadline: now + this.#waitMs })
    this.serve(now).catch((error: unknown) => this.#giveUp(error))
    return promise
  }

  /** Gives back what was reserved, less what was spent of it. More may be spent than was reserved. */
  settle(reserved: PicoUsd, spent: PicoUsd, now: number): void {
    this.#reserved -= reserved
    this.#unreported += spent
    this.#available += reserved - spent
    if (this.#waiting.length > 0) this.serve(now).catch((error: unknown) => this.#giveUp(error))
  }

  /** Serves those who wait, first come first served, with what is here and what the database grants. */
  async serve(now: number): Promise<void> {
    this.#again = true
    if (this.#serving) return
    this.#serving = true
    try {
      while (this.#again) {
        this.#again = false
        await this.#serveOnce(now)
      }
    } finally {
      this.#serving = false
    }
  }

  async #serveOnce(now: number): Promise<void> {
    this.#serveWaiting()
    const first = this.#waiting[0]
    if (!first) return
    const { granted, free, others } = await this.#ask(first.need - larger(this.#available, 0n))
    this.#available += granted
    if (granted > 0n) this.#again = true
    this.#serveWaiting()
    this.#refuse(free + others + this.#available + this.#reserved, now)
  }

  /** Reports what was spent, and gives back what is idle. */
  async report(keepIdle: boolean): Promise<void> {
    if (!keepIdle && this.#waiting.length === 0) {
      const idle = larger(this.#available, 0n)
      this.#available -= idle
    }
    await this.#ask(0n)
  }

  /** Without the database nobody can say what is left: who waits is refused rather than let through. */
  #giveUp(error: unknown): void {
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
  #refuse(most: PicoUsd, now: number): void {
    this.#waiting = this.#waiting.filter(({ need, settle, deadline }) => {
      if (need > most) settle('spent')
      else if (now >= deadline) settle('reserved')
      else return true
      return false
    })
  }

  /** One exchange at a time: each says what is held after the one before. */
  async #ask(need: PicoUsd): Promise<Granted> {
    while (this.#exchanging) await this.#exchanging
    const spent = this.#unreported
    this.#unreported = 0n
    const asking = this.#exchange({ spent, held: larger(this.#available, 0n) + this.#reserved, need: larger(need, 0n) })
    this.#exchanging = asking.then(
      () => {},
      () => {
        this.#unreported += spent
      },
    )
    try {
      return await asking
    } finally {
      this.#exchanging = undefined
    }
  }
}

const larger = (a: bigint, b: bigint) => (a > b ? a : b)
