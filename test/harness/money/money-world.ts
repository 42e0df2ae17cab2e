import { setImmediate as turn } from 'node:timers/promises'
import { createLocalClock } from '#platform/db/clock.ts'
import type { Db } from '#platform/db/db.ts'
import type { Every } from '#spend/budgets/accounts/open-accounts.ts'
import type { Budget } from '#spend/budgets/budget.ts'
import { Budgets } from '#spend/budgets/budgets.ts'
import { pruneGroupAccounts } from '#spend/budgets/prune-group-accounts.ts'
import { cuttableDb, type Link } from '../database/cuttable-db.ts'
import type { Seeded } from '../service/world/seeded.ts'
import { DelayedMessages } from './delayed-messages.ts'
import { MoneyChecks } from './money-checks.ts'
import type { Flight, MoneyHistory, Server } from './money-history.ts'
import { createLimits, intervals, limitAmounts } from './money-limits.ts'
import { SimulatedLedger } from './simulated-ledger.ts'

/**
 * Three servers, their shared limits, and a provider that counts what it served. Time advances and messages arrive only
 * when a history says so.
 */
export class MoneyWorld implements MoneyHistory {
  now = Date.UTC(2026, 10, 20, 23, 40)
  readonly chance: Seeded
  readonly servers: Server[] = []
  readonly flights: Flight[] = []
  /** Errors that occurred outside of an awaited call. */
  readonly failures: Error[] = []
  /** The steps so far; the error of a failed history shows them. */
  readonly steps: string[] = []
  limits: Budget[]
  readonly #db: Db
  readonly #messages: DelayedMessages
  readonly #ledger = new SimulatedLedger(this)
  readonly #checks: MoneyChecks
  #startedServers = 0

  /** The index of each limit: first those of two keys, then those of two sessions, if they are limited. */
  readonly limitIndexes: number[]

  constructor(db: Db, chance: Seeded, name: string, { sessions = false } = {}) {
    this.#db = db
    this.#checks = new MoneyChecks(db, this, this.#ledger)
    this.chance = chance
    this.#messages = new DelayedMessages(chance)
    this.limits = createLimits(chance, name, sessions)
    this.limitIndexes = this.limits.map((_, index) => index)
    for (let index = 0; index < 3; index++) this.#startServer(index)
    this.#checks.updateKnownLimits()
  }

  #startServer(index: number): void {
    const { chance } = this
    const faults = { slow: false, breaking: false, losing: false }
    const link: Link = {
      state: 'open',
      delay: () => (faults.slow ? this.#messages.delay() : undefined),
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
      name: `server ${index} (${this.#startedServers++})`,
      link,
      skewMs,
      alive: true,
      killed: false,
      fallingBack: 0,
      limits: this.limits,
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
        waitUntilWritten: () => this.#ledger.write(server),
        readChargedSince: async (budget, sinceDay) => {
          await this.#ledger.write(server)
          return this.#ledger.spendingSince(budget.id, sinceDay)
        },
        onError: () => {},
        every,
      },
      { waitMs: 5000, pollMs: 50, reportMs: 500, idleMs: 1000 },
    )
    this.servers[index] = Object.assign(server, { budgets })
  }

  log(step: string): void {
    this.steps.push(`${new Date(this.now).toISOString()} ${step}`)
  }

  /** A request arrives; it is sent to the provider when money was reserved for it. */
  async sendRequest(server: Server, requestedLimits: number[], share: number): Promise<void> {
    // Each request has its own object for the limit of its session.
    const budgets = requestedLimits.map((index) => (index < 2 ? server.limits[index]! : { ...server.limits[index]! }))
    const need = BigInt(Math.floor(share * Number(budgets[0]!.limit))) + 1n
    server.needs.set(budgets, need)
    const pending = server.budgets.reserve(budgets, need)
    const reserved = await Promise.resolve(pending).catch(() => undefined)
    server.needs.delete(budgets)
    if (!reserved || 'refusedBy' in reserved) return this.#checks.updateKnownLimits()
    if (!server.alive) return reserved.reservation.settle({ cost: 0n, byok: false })
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
    this.#checks.checkLimits(flight)
    this.#checks.updateKnownLimits()
  }

  /** An attempt returns nothing, but can be billed: it is paid, and the same amount is reserved for the next one. */
  async fallBack(flight: Flight): Promise<void> {
    const { server, budgets, need } = flight
    if (!server.alive) return
    const cost = this.#costOf(need)
    Object.assign(flight, { isOver: true, isRecorded: false, cost, charged: cost })
    this.log(`${server.name} pays ${cost} for an attempt, and asks for ${need}`)
    const early = flight.reservation.settleEarly({ cost, byok: false })
    const record = () => {
      flight.isRecorded = true
      flight.record?.()
      early.record()
    }
    server.fallingBack++
    server.needs.set(budgets, need)
    // The request uses the limits of its start.
    this.#checks.updateKnownLimits()
    const reserved = await Promise.resolve(server.budgets.reserve(budgets, need)).catch(() => undefined)
    server.needs.delete(budgets)
    server.fallingBack--
    if (!reserved || 'refusedBy' in reserved) return record()
    const { reservation } = reserved
    if (server.alive) return this.#beginFlight({ server, budgets, reservation, need, cost: this.#costOf(need) }, record)
    record()
    reservation.settle({ cost: 0n, byok: false })
  }

  /** Most requests cost less than their reservation, but a few cost more (docs/spending.md). */
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
    flight.reservation.settle({ cost: flight.charged, byok: false })
    flight.record?.()
  }

  /** Kills a server. The provider still serves its requests. */
  kill(server: Server): void {
    this.log(`${server.name} is killed`)
    server.alive = false
    server.killed = true
    server.timers.clear()
    server.link.state = this.chance.chance(0.5) ? 'cut' : 'open'
    this.#startServer(this.servers.indexOf(server))
    this.#checks.updateKnownLimits()
  }

  async stop(server: Server): Promise<void> {
    this.log(`${server.name} is stopped`)
    for (const flight of this.flights) if (flight.server === server && !flight.isOver) this.finish(flight, true)
    const { slow, breaking, losing } = server.faults
    const { fallingBack } = server
    if (server.link.state === 'open' && !slow && !breaking && !losing && !fallingBack)
      this.#checks.noteCompleteStop(server)
    server.alive = false
    await this.#messages.deliverUntilSettled(server.budgets.close())
    server.timers.clear()
    this.#startServer(this.servers.indexOf(server))
    this.#checks.updateKnownLimits()
  }

  /** Delayed messages arrive, in any order. */
  deliverMessages(): void {
    this.#messages.deliver()
  }

  changeLimit(limitIndex: number): void {
    const limit = this.chance.pick(limitAmounts)
    this.limits = this.limits.with(limitIndex, { ...this.limits[limitIndex]!, limit })
    this.log(`limit ${limitIndex} is now ${limit}`)
  }

  changeInterval(limitIndex: number): void {
    const interval = this.chance.pick(intervals)
    this.limits = this.limits.with(limitIndex, { ...this.limits[limitIndex]!, interval })
    this.#checks.noteChangedInterval(limitIndex)
    this.log(`limit ${limitIndex} is now ${interval}`)
  }

  learnLimits(server: Server): void {
    if (server.limits === this.limits) return
    server.limits = this.limits
    this.log(`${server.name} learns of the limits`)
    this.#checks.updateKnownLimits()
  }

  /** The hourly upkeep deletes accounts of sessions, here as if the ledger had deleted their requests. */
  async forgetSessions(): Promise<void> {
    this.steps.push('accounts of sessions are forgotten')
    await pruneGroupAccounts({ db: this.#db, now: () => this.now })
  }

  /** Time advances, and each action that became due runs once. */
  async tick(ms: number): Promise<void> {
    this.now += ms
    for (const server of this.servers) {
      if (this.chance.chance(0.3)) void this.#ledger.write(server).catch(() => {})
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
    this.#messages.deliver(true)
    for (let round = 0; round < 4; round++) {
      await turn()
      for (const flight of this.flights) if (!flight.isOver) this.finish(flight, false)
      await this.tick(6000)
    }
    for (const server of [...this.servers]) await this.stop(server)
  }

  /**
   * Call it when everything is over.
   * @returns the share of the limit that was billed in the last period.
   */
  checkAccounts(): Promise<number> {
    return this.#checks.checkAccounts()
  }
}
