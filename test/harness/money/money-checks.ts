import assert from 'node:assert/strict'
import { createLocalClock } from '#platform/db/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { type Budget, periodOf } from '#spend/budgets/budget.ts'
import { readBudget } from '#spend/budgets/rows/stored-budget.ts'
import type { Flight, MoneyHistory, Server } from './money-history.ts'
import { intervals, keyOf } from './money-limits.ts'
import type { SimulatedLedger } from './simulated-ledger.ts'

/** Checks that servers respect the limits that they know, and that accounts have what the provider bills. */
export class MoneyChecks {
  readonly #db: Db
  readonly #history: MoneyHistory
  readonly #ledger: SimulatedLedger
  /**
   * The most that can be billed although the limit is lower now: the amount when the last server received the change.
   */
  readonly #grantedBefore = new Map<string, bigint>()
  readonly #highestKnownLimits: bigint[] = []
  /** The limits for whose interval servers differ, and the number of flights at the start of the difference. */
  readonly #flightsBeforeSplit = new Map<string, number>()
  /** The limits whose interval was changed: spending at that time can be charged twice, but never not at all. */
  readonly #indexesWithChangedInterval = new Set<number>()
  /** The servers that could account for everything when they were stopped. */
  readonly #completelyStopped = new WeakSet<Server>()
  readonly #pendingReads: Promise<void>[] = []

  constructor(db: Db, history: MoneyHistory, ledger: SimulatedLedger) {
    this.#db = db
    this.#history = history
    this.#ledger = ledger
  }

  noteChangedInterval(limitIndex: number): void {
    this.#indexesWithChangedInterval.add(limitIndex)
  }

  noteCompleteStop(server: Server): void {
    this.#completelyStopped.add(server)
  }

  /**
   * The amount that requests took from a budget in a period, under any interval: the bill of each, or its bound. The
   * excess is counted separately. While not all servers know of a changed interval, each interval applies to the
   * servers that know it. Requests that other servers admitted under another interval since then do not count.
   */
  #amountTaken(limit: Budget, period: number): bigint {
    const split = this.#flightsBeforeSplit.get(limit.id) ?? this.#history.flights.length
    let sum = 0n
    for (const [index, { budgets, need, cost, charged, isOver, at: when }] of this.#history.flights.entries()) {
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
    const now = this.#history.now
    const periods = intervals.map((interval) => ({ interval, key: keyOf({ id, interval }, now) }))
    for (const { key } of periods) this.#grantedBefore.set(key, BigInt(Number.MAX_SAFE_INTEGER))
    const clock = createLocalClock(() => now)
    for (const { interval, key } of periods) {
      const period = periodOf({ interval }, now)
      const { spent, leases } = await readBudget(this.#db.query, clock, id, period)
      const held = leases.reduce((sum, lease) => sum + lease.held, 0n)
      this.#grantedBefore.set(key, (spent ?? this.#ledger.spendingSince(id, period)) + held)
    }
  }

  /** The highest limit that any server still uses; a lowered limit does not count against them. */
  updateKnownLimits(): void {
    for (const [limitIndex, { id }] of this.#history.limits.entries()) {
      const alive = this.#history.servers.filter(({ alive: isAlive }) => isAlive)
      const budgetsInUse = alive.flatMap(({ limits: known, needs }) => [
        known[limitIndex]!,
        ...[...needs.keys()].flat().filter((budget) => budget.id === id),
      ])
      const highest =
        budgetsInUse
          .map(({ limit }) => limit)
          .toSorted((a, b) => Number(a - b))
          .at(-1) ?? 0n
      if (highest < (this.#highestKnownLimits[limitIndex] ?? 0n)) {
        this.#pendingReads.push(this.#rememberGrants(this.#history.limits[limitIndex]!))
      }
      this.#highestKnownLimits[limitIndex] = highest
      const isSplit = new Set(budgetsInUse.map(({ interval }) => interval)).size > 1
      if (isSplit && !this.#flightsBeforeSplit.has(id)) this.#flightsBeforeSplit.set(id, this.#history.flights.length)
      if (isSplit || !this.#flightsBeforeSplit.delete(id)) continue
      this.#pendingReads.push(this.#rememberGrants(this.#history.limits[limitIndex]!))
    }
  }

  /**
   * Each server respects the limits and intervals that it knows, regardless of the requests that other servers
   * admitted.
   */
  checkLimits({ budgets }: Flight): void {
    for (const budget of budgets) {
      const limitIndex = this.#history.limits.findIndex(({ id }) => id === budget.id)
      const taken = this.#amountTaken(budget, periodOf(budget, this.#history.now))
      const granted = this.#grantedBefore.get(keyOf(budget, this.#history.now)) ?? 0n
      const allowed = granted > this.#highestKnownLimits[limitIndex]! ? granted : this.#highestKnownLimits[limitIndex]!
      const message = `${budget.id} ${budget.interval}: ${taken} of ${allowed}`
      assert.ok(taken <= allowed, `${message}\n${this.#history.steps.join('\n')}`)
    }
  }

  /**
   * Call it when everything is over.
   * @returns the share of the limit that was billed in the last period.
   */
  async checkAccounts(): Promise<number> {
    await Promise.all(this.#pendingReads)
    let share = 0
    for (const [limitIndex, { id }] of this.#history.limits.entries()) {
      const requests = this.#history.flights.flatMap(({ budgets, at: when }) =>
        budgets.filter((budget) => budget.id === id).map(({ interval }) => ({ interval, when })),
      )
      for (const { interval, when } of new Map(
        requests.map((request) => [keyOf({ id, ...request }, request.when), request]),
      ).values()) {
        const period = periodOf({ interval }, when)
        const sums = this.#sumsOf(id, interval, period)
        const clock = createLocalClock(() => this.#history.now)
        const spentByForgotten = id.startsWith('guardrail:') ? this.#ledger.spendingSince(id, period) : 0n
        const { spent = spentByForgotten, leases } = await readBudget(this.#db.query, clock, id, period)
        const lost = leases.filter((lease) => lease.period === period).reduce((sum, { held }) => sum + held, 0n)
        const message = `${id} in ${interval} ${period}: ${JSON.stringify({ ...sums, spent, lost }, (_, value) => (typeof value === 'bigint' ? String(value) : value))}\n${this.#history.steps.join('\n')}`
        // A server can also report an amount that a new account got from the ledger: it is charged twice rather than
        // not at all.
        if (!this.#indexesWithChangedInterval.has(limitIndex))
          assert.ok(spent <= sums.accounted + sums.settledAtDead, `charged twice: ${message}`)
        assert.ok(spent >= sums.accounted, `charged: ${message}`)
        assert.ok(spent + lost + sums.excess >= sums.billed, `billed more than is charged: ${message}`)
        share = Math.max(share, Number(sums.billed) / Number(this.#highestKnownLimits[limitIndex]))
      }
    }
    return share
  }

  #sumsOf(budgetId: string, interval: Budget['interval'], period: number) {
    const sums = { billed: 0n, accounted: 0n, settledAtDead: 0n, excess: 0n }
    for (const { budgets, need, cost, charged, server, at: when } of this.#history.flights) {
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

const smaller = (a: bigint, b: bigint) => (a < b ? a : b)
