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
  isWritten: boolean
  /** Whether the ledger can have it: the cost of an attempt without an answer is recorded when the request is over. */
  isRecorded: boolean
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
  faults: { slow: boolean; breaking: boolean; losing: boolean }
  /** The requests that wait for money, and the amount that they need. */
  needs: Map<Budget[], bigint>
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
  readonly steps: string[] = []
  #limits: Budget[]
  /**
   * The most that can be billed although the limit is lower now: the amount when the last server received the change.
   */
  readonly #grantedBefore = new Map<string, bigint>()
  readonly #highestKnownLimits: bigint[] = []
  /** The limits for whose interval servers differ, and the number of flights at the start of the difference. */
  readonly #flightsBeforeSplit = new Map<string, number>()
  /** The limits whose interval was changed: spending at that time can be charged twice, but never not at all. */
  readonly #indexesWithChangedInterval = new Set<number>()
  readonly #db: Db
  #delayedMessages: (() => void)[] = []
  #pendingReads: Promise<void>[] = []
  #startedServers = 0
  /** The servers that could account for everything when they were stopped. */
  readonly #completelyStopped = new WeakSet<Server>()

  /** The place of each limit: first those of two keys, then those of two sessions, if they are limited. */
  readonly limitIndexes: number[]

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
    this.limitIndexes = this.#limits.map((_, at) => at)
    for (let at = 0; at < 3; at++) this.#startServer(at)
    this.#updateKnownLimits()
  }

  #startServer(at: number): void {
    const { chance } = this
    const faults = { slow: false, breaking: false, losing: false }
    const link: Link = {
      state: 'open',
      delay: () => (faults.slow ? new Promise<void>((resolve) => this.#delayedMessages.push(resolve)) : undefined),
      breaks: () => faults.breaking && chance.chance(0.5),
      loses: () => faults.losing && chance.chance(0.5),
    }
    const timers: Server['timers'] = new Set()
    const every: Every = (ms, work) => {
      const timer = { ms, next: this.now + ms, work }
      timers.add(timer)
      return () => void timers.delete(timer)
    }
    const skewMs = chance.between(-15, 15) * 60_000
    const server = {
      name: `server ${at} (${this.#startedServers++})`,
      link,
      skewMs,
      alive: true,
      killed: false,
      fallingBack: 0,
      limits: this.#limits,
      timers,
      faults,
      needs: new Map(),
    } as Omit<Server, 'budgets'> as Server
    const budgets = new Budgets(
      {
        db: cuttableDb(this.#db, link),
        clock: createLocalClock(() => this.now),
        now: () => this.now + server.skewMs,
        newId: () => server.name.replaceAll(' ', '_'),
        waitUntilWritten: () => this.#writeToLedger(server),
        readSpentSince: async (budget, sinceDay) => {
          await this.#writeToLedger(server)
          return this.#spendingInLedger(budget.id, sinceDay)
        },
        onError: () => {},
        every,
      },
      { waitMs: 5000, pollMs: 50, reportMs: 500, idleMs: 1000 },
    )
    this.servers[at] = Object.assign(server, { budgets })
  }

  log(step: string): void {
    this.steps.push(`${new Date(this.now).toISOString()} ${step}`)
  }

  /** A request arrives; it is sent to the provider when money was reserved for it. */
  async sendRequest(server: Server, requestedLimits: number[], share: number): Promise<void> {
    // Each request has its own object for the limit of its session.
    const budgets = requestedLimits.map((at) => (at < 2 ? server.limits[at]! : { ...server.limits[at]! }))
    const need = BigInt(Math.floor(share * Number(budgets[0]!.limit))) + 1n
    server.needs.set(budgets, need)
    const pending = server.budgets.reserve(budgets, need)
    const reserved = await Promise.resolve(pending).catch(() => undefined)
    server.needs.delete(budgets)
    if (!reserved || 'refusedBy' in reserved) return this.#updateKnownLimits()
    if (!server.alive) return reserved.reservation.settle(0n, () => true)
    const cost = this.#costOf(need)
    const { reservation } = reserved
    this.log(`${server.name} admits ${need} (will cost ${cost}) of ${requestedLimits}`)
    this.#beginFlight({ server, budgets, reservation, need, cost }, undefined)
  }

  #beginFlight(
    request: Pick<Flight, 'server' | 'budgets' | 'reservation' | 'need' | 'cost'>,
    record: Flight['record'],
  ): void {
    const started = { charged: undefined, isOver: false, isWritten: false, isRecorded: true, at: this.now, record }
    const flight = { ...request, ...started }
    this.flights.push(flight)
    this.#checkLimits(flight)
    this.#updateKnownLimits()
  }

  /** An attempt returns nothing, but can be billed: it is paid, and the same amount is reserved for the next one. */
  async fallBack(flight: Flight): Promise<void> {
    const { server, budgets, need } = flight
    if (!server.alive) return
    const cost = this.#costOf(need)
    Object.assign(flight, { isOver: true, isRecorded: false, cost, charged: cost })
    this.log(`${server.name} pays ${cost} for an attempt, and asks for ${need}`)
    const early = flight.reservation.settleEarly(cost, () => true)
    const record = () => {
      flight.isRecorded = true
      flight.record?.()
      early.record()
    }
    server.fallingBack++
    server.needs.set(budgets, need)
    // The request uses the limits of its start.
    this.#updateKnownLimits()
    const reserved = await Promise.resolve(server.budgets.reserve(budgets, need)).catch(() => undefined)
    server.needs.delete(budgets)
    server.fallingBack--
    if (!reserved || 'refusedBy' in reserved) return record()
    const { reservation } = reserved
    if (server.alive) return this.#beginFlight({ server, budgets, reservation, need, cost: this.#costOf(need) }, record)
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
  async #writeToLedger(server: Server): Promise<void> {
    const charged = this.flights.filter((flight) => flight.server === server && flight.isOver && flight.isRecorded)
    await server.link.delay()
    if (server.link.state === 'cut' || server.killed) throw new Error('the ledger is not reached')
    for (const flight of charged) flight.isWritten = true
    if (server.link.loses()) throw new Error('the answer was lost')
  }

  /** The spending since a day, according to the ledger. */
  #spendingInLedger(id: string, sinceDay: number): bigint {
    const charges = this.flights.filter(
      ({ budgets, isWritten, at }) => isWritten && at >= sinceDay * dayMs && budgets.some((budget) => budget.id === id),
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
    this.#startServer(this.servers.indexOf(server))
    this.#updateKnownLimits()
  }

  async stop(server: Server): Promise<void> {
    this.log(`${server.name} is stopped`)
    for (const flight of this.flights) if (flight.server === server && !flight.isOver) this.finish(flight, true)
    const { slow, breaking, losing } = server.faults
    const { fallingBack } = server
    if (server.link.state === 'open' && !slow && !breaking && !losing && !fallingBack)
      this.#completelyStopped.add(server)
    server.alive = false
    await this.#deliverUntilSettled(server.budgets.close())
    server.timers.clear()
    this.#startServer(this.servers.indexOf(server))
    this.#updateKnownLimits()
  }

  /** Delivers delayed messages until the promise settles, so that nothing waits for one forever. */
  async #deliverUntilSettled(work: Promise<unknown>): Promise<void> {
    let isPending = true
    const settled = work.finally(() => {
      isPending = false
    })
    while (isPending) {
      this.deliverMessages(true)
      await turn()
    }
    await settled
  }

  /** Delayed messages arrive, in any order. */
  deliverMessages(all = false): void {
    const messages = this.#delayedMessages
    this.#delayedMessages = []
    for (const deliver of messages) {
      if (all || this.chance.chance(0.5)) deliver()
      else this.#delayedMessages.push(deliver)
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
    this.#indexesWithChangedInterval.add(at)
    this.log(`limit ${at} is now ${interval}`)
  }

  learnLimits(server: Server): void {
    if (server.limits === this.#limits) return
    server.limits = this.#limits
    this.log(`${server.name} learns of the limits`)
    this.#updateKnownLimits()
  }

  /** The hourly upkeep deletes accounts of sessions, here as if the ledger had deleted their requests. */
  async forgetSessions(): Promise<void> {
    this.steps.push('accounts of sessions are forgotten')
    await pruneGroups({ db: this.#db, now: () => this.now })
  }

  /** Time advances, and each action that became due runs once. */
  async tick(ms: number): Promise<void> {
    this.now += ms
    for (const server of this.servers) {
      if (this.chance.chance(0.3)) void this.#writeToLedger(server).catch(() => {})
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
    for (const { link, faults } of this.servers) {
      link.state = 'open'
      Object.assign(faults, { slow: false, breaking: false, losing: false })
    }
    this.deliverMessages(true)
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
  #amountTaken(limit: Budget, period: number): bigint {
    const split = this.#flightsBeforeSplit.get(limit.id) ?? this.flights.length
    let sum = 0n
    for (const [index, { budgets, need, cost, charged, isOver, at: when }] of this.flights.entries()) {
      const budget = budgets.find(({ id }) => id === limit.id)
      if (!budget || periodOf(limit, when) !== period) continue
      if (budget.interval !== limit.interval && index >= split) continue
      const taken = isOver ? (charged ?? cost) : need
      sum += smaller(taken, need)
    }
    return sum
  }

  /**
   * Amounts that servers hold or that are on their way to them were granted under the earlier limit. They count
   * completely, under any interval.
   */
  async #rememberGrants({ id }: Budget): Promise<void> {
    const now = this.now
    const periods = intervals.map((interval) => ({ interval, key: keyOf({ id, interval }, now) }))
    for (const { key } of periods) this.#grantedBefore.set(key, BigInt(Number.MAX_SAFE_INTEGER))
    const clock = createLocalClock(() => now)
    for (const { interval, key } of periods) {
      const period = periodOf({ interval }, now)
      const { spent, leases } = await readBudget(this.#db.query, clock, id, period)
      const held = leases.reduce((sum, lease) => sum + lease.held, 0n)
      this.#grantedBefore.set(key, (spent ?? this.#spendingInLedger(id, period)) + held)
    }
  }

  /** The highest limit that any server still uses; a lowered limit does not count against them. */
  #updateKnownLimits(): void {
    for (const [at, { id }] of this.#limits.entries()) {
      const alive = this.servers.filter(({ alive: isAlive }) => isAlive)
      const budgetsInUse = alive.flatMap(({ limits: known, needs }) => [
        known[at]!,
        ...[...needs.keys()].flat().filter((budget) => budget.id === id),
      ])
      const highest =
        budgetsInUse
          .map(({ limit }) => limit)
          .toSorted((a, b) => Number(a - b))
          .at(-1) ?? 0n
      if (highest < (this.#highestKnownLimits[at] ?? 0n)) {
        this.#pendingReads.push(this.#rememberGrants(this.#limits[at]!))
      }
      this.#highestKnownLimits[at] = highest
      const isSplit = new Set(budgetsInUse.map(({ interval }) => interval)).size > 1
      if (isSplit && !this.#flightsBeforeSplit.has(id)) this.#flightsBeforeSplit.set(id, this.flights.length)
      if (isSplit || !this.#flightsBeforeSplit.delete(id)) continue
      this.#pendingReads.push(this.#rememberGrants(this.#limits[at]!))
    }
  }

  /**
   * Each server respects the limits and intervals that it knows, regardless of the requests that other servers
   * admitted.
   */
  #checkLimits({ budgets }: Flight): void {
    for (const budget of budgets) {
      const at = this.#limits.findIndex(({ id }) => id === budget.id)
      const taken = this.#amountTaken(budget, periodOf(budget, this.now))
      const granted = this.#grantedBefore.get(keyOf(budget, this.now)) ?? 0n
      const allowed = granted > this.#highestKnownLimits[at]! ? granted : this.#highestKnownLimits[at]!
      const message = `${budget.id} ${budget.interval}: ${taken} of ${allowed}`
      assert.ok(taken <= allowed, `${message}\n${this.steps.join('\n')}`)
    }
  }

  /**
   * Call it when everything is over.
   * @returns the share of the limit that was billed in the last period.
   */
  async checkAccounts(): Promise<number> {
    await Promise.all(this.#pendingReads)
    let share = 0
    for (const [at, { id }] of this.#limits.entries()) {
      const requests = this.flights.flatMap(({ budgets, at: when }) =>
        budgets.filter((budget) => budget.id === id).map(({ interval }) => ({ interval, when })),
      )
      for (const { interval, when } of new Map(
        requests.map((request) => [keyOf({ id, ...request }, request.when), request]),
      ).values()) {
        const period = periodOf({ interval }, when)
        const sums = this.#sumsOf(id, interval, period)
        const clock = createLocalClock(() => this.now)
        const spentByForgotten = id.startsWith('guardrail:') ? this.#spendingInLedger(id, period) : 0n
        const { spent = spentByForgotten, leases } = await readBudget(this.#db.query, clock, id, period)
        const lost = leases.filter((lease) => lease.period === period).reduce((sum, { held }) => sum + held, 0n)
        const message = `${id} in ${interval} ${period}: ${JSON.stringify({ ...sums, spent, lost }, (_, value) => (typeof value === 'bigint' ? String(value) : value))}\n${this.steps.join('\n')}`
        // A server can also report an amount that a new account got from the ledger: it is charged twice rather than
        // not at all.
        if (!this.#indexesWithChangedInterval.has(at))
          assert.ok(spent <= sums.accounted + sums.settledAtDead, `charged twice: ${message}`)
        assert.ok(spent >= sums.accounted, `charged: ${message}`)
        assert.ok(spent + lost + sums.excess >= sums.billed, `billed more than is charged: ${message}`)
        share = Math.max(share, Number(sums.billed) / Number(this.#highestKnownLimits[at]))
      }
    }
    return share
  }

  #sumsOf(budgetId: string, interval: Budget['interval'], period: number) {
    const sums = { billed: 0n, accounted: 0n, settledAtDead: 0n, excess: 0n }
    for (const { budgets, need, cost, charged, server, at: when } of this.flights) {
      const budget = budgets.find(({ id }) => id === budgetId)
      if (budget?.interval !== interval || periodOf(budget, when) !== period) continue
      sums.billed += cost
      if (cost > need && !this.#stoppedCompletely(server)) sums.excess += cost - need
      if (this.#stoppedCompletely(server)) sums.accounted += charged!
      else sums.settledAtDead += charged ?? 0n
    }
    return sums
  }

  #stoppedCompletely(server: Server): boolean {
    return this.#completelyStopped.has(server)
  }
}

const dayMs = 86_400_000
/** A period of a day and one of a week can start on the same day. */
const keyOf = ({ id, interval }: Pick<Budget, 'id' | 'interval'>, at: number) =>
  `${id} ${interval} ${periodOf({ interval }, at)}`
const smaller = (a: bigint, b: bigint) => (a < b ? a : b)
