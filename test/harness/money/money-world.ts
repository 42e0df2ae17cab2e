import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { newUuid } from '#platform/core/id.ts'
import { createLocalClock } from '#platform/db/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { type Budget, type GroupSubject, groupAccountPrefix, periodOf } from '#spend/budgets/budget.ts'
import { Budgets, type Reservation } from '#spend/budgets/budgets.ts'
import type { Every } from '#spend/budgets/open-accounts.ts'
import { pruneGroups } from '#spend/budgets/prune-groups.ts'
import { readBudget } from '#spend/budgets/rows/stored-budget.ts'
import { cuttableDb, type Link } from '../database/cuttable-db.ts'
import type { Seeded } from '../service/seeded.ts'

/** A request that the provider is serving, or has served. */
type Flight = {
  server: Server
  budgets: Budget[]
  reservation: Reservation
  /** The reserved amount. */
  need: bigint
  /** The amount that the provider bills. */
  cost: bigint
  /** The charge, once the request is over. */
  charged: bigint | undefined
  isOver: boolean
  /** Whether the ledger has the charge. */
  written: boolean
  /** Whether the ledger can have it: the cost of an attempt without an answer is recorded when the request is over. */
  recorded: boolean
  /** Called when the request is over: its earlier attempts are recorded in the ledger with it. */
  record: (() => void) | undefined
  at: number
}

type Server = {
  name: string
  budgets: Budgets
  link: Link
  /** How far the server's clock is ahead. */
  skewMs: number
  /** Whether the server accepts requests. */
  alive: boolean
  killed: boolean
  /** The number of requests that wait for money to continue. */
  fallingBack: number
  /** The limits that this server knows. */
  limits: Budget[]
  timers: Set<{ ms: number; next: number; work: () => void }>
  trouble: { slow: boolean; breaking: boolean; losing: boolean }
  /** The requests that wait for money, and the amount that they need. */
  asking: Map<Budget[], bigint>
}

const limits = [1_000_000n, 400_000n, 2_500_000n]
const intervals = [null, 'daily', 'weekly', 'monthly'] as const

/**
 * Three servers, their shared limits, and a provider that counts what it served. Time advances and messages arrive only
 * when a history says so.
 */
export class MoneyWorld {
  now = Date.UTC(2026, 10, 20, 23, 40)
  readonly chance: Seeded
  readonly servers: Server[] = []
  readonly flights: Flight[] = []
  /** Errors that occurred outside of an awaited call. */
  readonly failures: Error[] = []
  /** The steps so far; the error of a failed history shows them. */
  readonly story: string[] = []
  #limits: Budget[]
  /**
   * The most that can be billed although the limit is lower now: the amount when the last server received the change.
   */
  readonly #before = new Map<string, bigint>()
  readonly #mostKnown: bigint[] = []
  /** The limits for whose interval servers differ, and the number of flights at the start of the difference. */
  readonly #split = new Map<string, number>()
  /** The limits whose interval was changed: spending at that time can be charged twice, but never not at all. */
  readonly #changed = new Set<number>()
  readonly #db: Db
  #held: (() => void)[] = []
  #reading: Promise<void>[] = []
  #names = 0
  /** The servers that could account for everything when they were stopped. */
  readonly #stopped = new WeakSet<Server>()

  /** The place of each limit: first those of two keys, then those of two sessions, if they are limited. */
  readonly places: number[]

  constructor(db: Db, chance: Seeded, name: string, { sessions = false } = {}) {
    this.#db = db
    this.chance = chance
    const guardrail = newUuid()
    const keyed = { kind: 'key', hash: name } as const
    const ofSession = (value: string): GroupSubject => ({
      kind: 'group',
      id: guardrail,
      workspaceId: 'w',
      createdAt: 0,
      isDefault: true,
      value,
      grouping: { by: 'session' },
    })
    const accounts: Pick<Budget, 'id' | 'subject' | 'interval'>[] = [
      { id: `key:${name}-0`, subject: keyed, interval: null },
      { id: `key:${name}-1`, subject: keyed, interval: 'daily' },
    ]
    for (const [session, interval] of sessions
      ? ([
          ['a', null],
          ['b', 'weekly'],
        ] as const)
      : [])
      accounts.push({
        id: `${groupAccountPrefix(guardrail, { by: 'session' })}${session}`,
        subject: ofSession(session),
        interval,
      })
    this.#limits = accounts.map((account) => ({ ...account, limit: chance.pick(limits), includesByok: false }))
    this.places = this.#limits.map((_, at) => at)
    for (let at = 0; at < 3; at++) this.#start(at)
    this.#learned()
  }

  #start(at: number): void {
    const { chance } = this
    const trouble = { slow: false, breaking: false, losing: false }
    const link: Link = {
      state: 'open',
      delay: () => (trouble.slow ? new Promise<void>((resolve) => this.#held.push(resolve)) : undefined),
      breaks: () => trouble.breaking && chance.chance(0.5),
      loses: () => trouble.losing && chance.chance(0.5),
    }
    const timers: Server['timers'] = new Set()
    const every: Every = (ms, work) => {
      const timer = { ms, next: this.now + ms, work }
      timers.add(timer)
      return () => void timers.delete(timer)
    }
    const skewMs = chance.between(-15, 15) * 60_000
    const server = {
      name: `server ${at} (${this.#names++})`,
      link,
      skewMs,
      alive: true,
      killed: false,
      fallingBack: 0,
      limits: this.#limits,
      timers,
      trouble,
      asking: new Map(),
    } as Omit<Server, 'budgets'> as Server
    const budgets = new Budgets(
      {
        db: cuttableDb(this.#db, link),
        clock: createLocalClock(() => this.now),
        now: () => this.now + server.skewMs,
        newId: () => server.name.replaceAll(' ', '_'),
        waitUntilWritten: () => this.#write(server),
        readSpentSince: async (budget, sinceDay) => {
          await this.#write(server)
          return this.#written(budget.id, sinceDay)
        },
        onError: () => {},
        every,
      },
      { waitMs: 5000, pollMs: 50, reportMs: 500, idleMs: 1000 },
    )
    this.servers[at] = Object.assign(server, { budgets })
  }

  log(what: string): void {
    this.story.push(`${new Date(this.now).toISOString()} ${what}`)
  }

  /** A request arrives; it is sent to the provider when money was reserved for it. */
  async ask(server: Server, which: number[], share: number): Promise<void> {
    // Each request has its own object for the limit of its session.
    const budgets = which.map((at) => (at < 2 ? server.limits[at]! : { ...server.limits[at]! }))
    const need = BigInt(Math.floor(share * Number(budgets[0]!.limit))) + 1n
    server.asking.set(budgets, need)
    const pending = server.budgets.reserve(budgets, need)
    const reserved = await Promise.resolve(pending).catch(() => undefined)
    server.asking.delete(budgets)
    if (!reserved || 'refusedBy' in reserved) return this.#learned()
    if (!server.alive) return reserved.reservation.settle(0n, () => true)
    const cost = this.#costOf(need)
    const { reservation } = reserved
    this.log(`${server.name} admits ${need} (will cost ${cost}) of ${which}`)
    this.#begin({ server, budgets, reservation, need, cost }, undefined)
  }

  #begin(
    request: Pick<Flight, 'server' | 'budgets' | 'reservation' | 'need' | 'cost'>,
    record: Flight['record'],
  ): void {
    const started = { charged: undefined, isOver: false, written: false, recorded: true, at: this.now, record }
    const flight = { ...request, ...started }
    this.flights.push(flight)
    this.#check(flight)
    this.#learned()
  }

  /** An attempt returns nothing, but can be billed: it is paid, and the same amount is reserved for the next one. */
  async fallBack(first: Flight): Promise<void> {
    const { server, budgets, need } = first
    if (!server.alive) return
    const cost = this.#costOf(need)
    Object.assign(first, { isOver: true, recorded: false, cost, charged: cost })
    this.log(`${server.name} pays ${cost} for an attempt, and asks for ${need}`)
    const early = first.reservation.settleEarly(cost, () => true)
    const record = () => {
      first.recorded = true
      first.record?.()
      early.record()
    }
    server.fallingBack++
    server.asking.set(budgets, need)
    // The request uses the limits of its start.
    this.#learned()
    const reserved = await Promise.resolve(server.budgets.reserve(budgets, need)).catch(() => undefined)
    server.asking.delete(budgets)
    server.fallingBack--
    if (!reserved || 'refusedBy' in reserved) return record()
    const { reservation } = reserved
    if (server.alive) return this.#begin({ server, budgets, reservation, need, cost: this.#costOf(need) }, record)
    record()
    reservation.settle(0n, () => true)
  }

  /** Most cost less than the reservation; a few, which the docs name, cost more. */
  #costOf(need: bigint): bigint {
    const share = this.chance.chance(0.03) ? 1 + this.chance.next() : this.chance.next()
    return BigInt(Math.floor(Number(need) * (this.chance.chance(0.2) ? 1 : share)))
  }

  /** The answer is over, or its client left. After a disconnect a bound is charged, because the bill is unknown. */
  finish(flight: Flight, clientLeft: boolean): void {
    flight.isOver = true
    if (!flight.server.alive) return
    const { need, cost } = flight
    flight.charged = clientLeft && cost < need ? cost + (need - cost) / 2n : cost
    this.log(`${flight.server.name} charges ${flight.charged} for ${need}`)
    flight.reservation.settle(flight.charged, () => true)
    flight.record?.()
  }

  /** The ledger receives a charge some time after it was made; rows that wait at a killed server are lost. */
  async #write(server: Server): Promise<void> {
    const charged = this.flights.filter((flight) => flight.server === server && flight.isOver && flight.recorded)
    await server.link.delay()
    if (server.link.state === 'cut' || server.killed) throw new Error('the ledger is not reached')
    for (const flight of charged) flight.written = true
    if (server.link.loses()) throw new Error('the answer was lost')
  }

  /** The spending since a day, according to the ledger. */
  #written(id: string, sinceDay: number): bigint {
    const charges = this.flights.filter(
      ({ budgets, written, at }) => written && at >= sinceDay * dayMs && budgets.some((budget) => budget.id === id),
    )
    return charges.reduce((sum, { charged }) => sum + (charged ?? 0n), 0n)
  }

  /** Kills a server. The provider still serves its requests. */
  kill(server: Server): void {
    this.log(`${server.name} is killed`)
    server.alive = false
    server.killed = true
    server.timers.clear()
    server.link.state = this.chance.chance(0.5) ? 'cut' : 'open'
    this.#start(this.servers.indexOf(server))
    this.#learned()
  }

  async stop(server: Server): Promise<void> {
    this.log(`${server.name} is stopped`)
    for (const flight of this.flights) if (flight.server === server && !flight.isOver) this.finish(flight, true)
    const { slow, breaking, losing } = server.trouble
    const { fallingBack } = server
    if (server.link.state === 'open' && !slow && !breaking && !losing && !fallingBack) this.#stopped.add(server)
    server.alive = false
    await this.#finally(server.budgets.close())
    server.timers.clear()
    this.#start(this.servers.indexOf(server))
    this.#learned()
  }

  /** Delivers delayed messages until the promise settles, so that nothing waits for one forever. */
  async #finally(done: Promise<unknown>): Promise<void> {
    let waiting = true
    const ended = done.finally(() => {
      waiting = false
    })
    while (waiting) {
      this.deliver(true)
      await turn()
    }
    await ended
  }

  /** Delayed messages arrive, in any order. */
  deliver(all = false): void {
    const held = this.#held
    this.#held = []
    for (const arrive of held) {
      if (all || this.chance.chance(0.5)) arrive()
      else this.#held.push(arrive)
    }
  }

  changeLimit(at: number): void {
    const limit = this.chance.pick(limits)
    this.#limits = this.#limits.with(at, { ...this.#limits[at]!, limit })
    this.log(`limit ${at} is now ${limit}`)
  }

  changeInterval(at: number): void {
    const interval = this.chance.pick(intervals)
    this.#limits = this.#limits.with(at, { ...this.#limits[at]!, interval })
    this.#changed.add(at)
    this.log(`limit ${at} is now ${interval}`)
  }

  learn(server: Server): void {
    if (server.limits === this.#limits) return
    server.limits = this.#limits
    this.log(`${server.name} learns of the limits`)
    this.#learned()
  }

  /** The hourly upkeep deletes accounts of sessions, here as if the ledger had deleted their requests. */
  async forget(): Promise<void> {
    this.story.push('accounts of sessions are forgotten')
    await pruneGroups({ db: this.#db, now: () => this.now })
  }

  /** Time advances, and each action that became due runs once. */
  async tick(ms: number): Promise<void> {
    this.now += ms
    for (const server of this.servers) {
      if (this.chance.chance(0.3)) void this.#write(server).catch(() => {})
      for (const timer of [...server.timers]) {
        if (timer.next > this.now) continue
        timer.next = this.now + timer.ms
        timer.work()
      }
    }
    await turn()
  }

  /** All faults end, all answers end, and all servers stop. */
  async end(): Promise<void> {
    for (const { link, trouble } of this.servers) {
      link.state = 'open'
      Object.assign(trouble, { slow: false, breaking: false, losing: false })
    }
    this.deliver(true)
    for (let round = 0; round < 4; round++) {
      await turn()
      for (const flight of this.flights) if (!flight.isOver) this.finish(flight, false)
      await this.tick(6000)
    }
    for (const server of [...this.servers]) await this.stop(server)
  }

  /**
   * The amount that requests took from a budget in a period, under any interval: the bill of each, or its bound. The
   * excess is counted separately. While not all servers know of a changed interval, each interval applies to the
   * servers that know it. Requests that other servers admitted under another interval since then do not count.
   */
  #taken(of: Budget, period: number): bigint {
    const split = this.#split.get(of.id) ?? this.flights.length
    let sum = 0n
    for (const [index, { budgets, need, cost, charged, isOver, at: when }] of this.flights.entries()) {
      const budget = budgets.find(({ id }) => id === of.id)
      if (!budget || periodOf(of, when) !== period) continue
      if (budget.interval !== of.interval && index >= split) continue
      const taken = isOver ? (charged ?? cost) : need
      sum += least(taken, need)
    }
    return sum
  }

  /**
   * Amounts that servers hold or that are on their way to them were granted under the earlier limit. They count
   * completely, under any interval.
   */
  async #remember({ id }: Budget): Promise<void> {
    const now = this.now
    const periods = intervals.map((interval) => ({ interval, key: keyOf({ id, interval }, now) }))
    for (const { key } of periods) this.#before.set(key, BigInt(Number.MAX_SAFE_INTEGER))
    const clock = createLocalClock(() => now)
    for (const { interval, key } of periods) {
      const period = periodOf({ interval }, now)
      const { spent, leases } = await readBudget(this.#db.query, clock, id, period)
      const held = leases.reduce((sum, lease) => sum + lease.held, 0n)
      this.#before.set(key, (spent ?? this.#written(id, period)) + held)
    }
  }

  /** The highest limit that any server still uses; a lowered limit does not count against them. */
  #learned(): void {
    for (const [at, { id }] of this.#limits.entries()) {
      const alive = this.servers.filter(({ alive: lives }) => lives)
      const usedBudgets = alive.flatMap(({ limits: known, asking }) => [
        known[at]!,
        ...[...asking.keys()].flat().filter((one) => one.id === id),
      ])
      const most =
        usedBudgets
          .map(({ limit }) => limit)
          .toSorted((a, b) => Number(a - b))
          .at(-1) ?? 0n
      if (most < (this.#mostKnown[at] ?? 0n)) {
        this.#reading.push(this.#remember(this.#limits[at]!))
      }
      this.#mostKnown[at] = most
      const differ = new Set(usedBudgets.map(({ interval }) => interval)).size > 1
      if (differ && !this.#split.has(id)) this.#split.set(id, this.flights.length)
      if (differ || !this.#split.delete(id)) continue
      this.#reading.push(this.#remember(this.#limits[at]!))
    }
  }

  /**
   * Each server respects the limits and intervals that it knows, regardless of the requests that other servers
   * admitted.
   */
  #check({ budgets }: Flight): void {
    for (const budget of budgets) {
      const at = this.#limits.findIndex(({ id }) => id === budget.id)
      const taken = this.#taken(budget, periodOf(budget, this.now))
      const before = this.#before.get(keyOf(budget, this.now)) ?? 0n
      const most = before > this.#mostKnown[at]! ? before : this.#mostKnown[at]!
      const message = `${budget.id} ${budget.interval}: ${taken} of ${most}`
      assert.ok(taken <= most, `${message}\n${this.story.join('\n')}`)
    }
  }

  /**
   * Call it when everything is over.
   * @returns the share of the limit that was billed in the last period.
   */
  async checkAccounts(): Promise<number> {
    await Promise.all(this.#reading)
    let share = 0
    for (const [at, { id }] of this.#limits.entries()) {
      const requests = this.flights.flatMap(({ budgets, at: when }) =>
        budgets.filter((budget) => budget.id === id).map(({ interval }) => ({ interval, when })),
      )
      for (const { interval, when } of new Map(
        requests.map((one) => [keyOf({ id, ...one }, one.when), one]),
      ).values()) {
        const period = periodOf({ interval }, when)
        const sums = this.#sumsOf(id, interval, period)
        const clock = createLocalClock(() => this.now)
        const ofForgotten = id.startsWith('guardrail:') ? this.#written(id, period) : 0n
        const { spent = ofForgotten, leases } = await readBudget(this.#db.query, clock, id, period)
        const lost = leases.filter((lease) => lease.period === period).reduce((sum, { held }) => sum + held, 0n)
        const message = `${id} in ${interval} ${period}: ${JSON.stringify({ ...sums, spent, lost }, (_, value) => (typeof value === 'bigint' ? String(value) : value))}\n${this.story.join('\n')}`
        // A server can also report an amount that a new account got from the ledger: it is charged twice rather than
        // not at all.
        if (!this.#changed.has(at)) assert.ok(spent <= sums.accounted + sums.settledAtDead, `charged twice: ${message}`)
        assert.ok(spent >= sums.accounted, `charged: ${message}`)
        assert.ok(spent + lost + sums.beyond >= sums.billed, `billed more than is charged: ${message}`)
        share = Math.max(share, Number(sums.billed) / Number(this.#mostKnown[at]))
      }
    }
    return share
  }

  #sumsOf(of: string, interval: Budget['interval'], period: number) {
    const sums = { billed: 0n, accounted: 0n, settledAtDead: 0n, beyond: 0n }
    for (const { budgets, need, cost, charged, server, at: when } of this.flights) {
      const budget = budgets.find(({ id }) => id === of)
      if (budget?.interval !== interval || periodOf(budget, when) !== period) continue
      sums.billed += cost
      if (cost > need && !this.#endedWell(server)) sums.beyond += cost - need
      if (this.#endedWell(server)) sums.accounted += charged!
      else sums.settledAtDead += charged ?? 0n
    }
    return sums
  }

  #endedWell(server: Server): boolean {
    return this.#stopped.has(server)
  }
}

const dayMs = 86_400_000
/** A period of a day and one of a week can start on the same day. */
const keyOf = ({ id, interval }: Pick<Budget, 'id' | 'interval'>, at: number) =>
  `${id} ${interval} ${periodOf({ interval }, at)}`
const least = (a: bigint, b: bigint) => (a < b ? a : b)
