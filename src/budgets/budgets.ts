import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '#db/db.ts'
import type { Now } from '#lib/clock.ts'
import type { NewId } from '#lib/id.ts'
import type { PicoUsd } from '#lib/pico-usd.ts'
import { Account, type Outcome } from './account.ts'
import { type Budget, periodOf, resetsAt } from './budget.ts'
import { exchange, exposureOf } from './store.ts'

/** Money set aside for one request, of every budget that counts it. */
export type Reservation = {
  /**
   * Called once, when it is known what the request cost. Nothing is spent of budgets that do not count it. The answer
   * waits for a promise: until then a crash could hide more spending than is allowed for. It never rejects.
   */
  settle: (cost: PicoUsd, counts: (budget: Budget) => boolean) => Promise<unknown> | undefined
}

export type Reserved = { reservation: Reservation } | { refusedBy: Budget; outcome: Exclude<Outcome, 'granted'> }

/**
 * Budgets over all servers of a database. What is spent and what is set aside never exceed a limit together; only a
 * request that costs more than it was set aside for can.
 */
export type Budgets = {
  /** Sets `need` aside of each budget, or of none. @throws what the database throws: then nothing may be spent. */
  reserve: (budgets: readonly Budget[], need: PicoUsd) => Reserved | Promise<Reserved>
  /** Reports what was spent; what is idle is given back when nothing was asked for lately. */
  report: () => Promise<void>
  close: () => Promise<void>
}

type Deps = {
  db: Db
  now: Now
  newId: NewId
  /** What a budget's subjects have spent since a day, before anybody kept account of it. */
  spentEarlier: (budget: Budget, sinceDay: number) => Promise<PicoUsd>
  onError: (error: Error) => void
}

type Rhythm = { waitMs?: number; pollMs?: number; reportMs?: number; idleMs?: number }

/** How long an answer is held back at most for spending to be reported. */
const holdMs = 1000

type Open = { account: Account; budget: Budget; period: number; closed: boolean }

export function openBudgets(
  deps: Deps,
  { waitMs = 5000, pollMs = 50, reportMs = 500, idleMs = 1000 }: Rhythm = {},
): Budgets {
  const server = deps.newId()
  const accounts = new Map<string, Open>()

  /** One and the same budget has one and the same account until its period ends. */
  const recent = new WeakMap<Budget, { open: Open; since: number; until: number }>()

  function accountOf(budget: Budget, at: number): Open {
    const known = recent.get(budget)
    if (known && !known.open.closed && at >= known.since && at < known.until) return known.open
    const open = findAccount(budget, at)
    recent.set(budget, { open, since: at, until: resetsAt(budget, at) ?? Number.POSITIVE_INFINITY })
    return open
  }

  function findAccount(budget: Budget, at: number): Open {
    const period = periodOf(budget, at)
    const key = `${budget.id} ${budget.interval} ${period}`
    const known = accounts.get(key)
    if (known) {
      // The limit may have been changed since.
      known.budget = budget
      return known
    }
    const open: Open = {
      budget,
      period,
      closed: false,
      account: new Account(
        (report) => {
          const { budget: current } = open
          const earlier = { settled: () => reportOlder(open), spent: () => deps.spentEarlier(current, period) }
          return exchange(deps.db, current, { server, period, now: deps.now(), ...report }, earlier)
        },
        waitMs,
        deps.now,
      ),
    }
    accounts.set(key, open)
    return open
  }

  /**
   * What was spent under another interval is in the ledger, which a new period begins with: said afterwards, it would
   * count twice. Only of accounts opened before, so that no two wait for each other.
   */
  async function reportOlder(newer: Open): Promise<void> {
    for (const open of accounts.values()) {
      if (open === newer) return
      if (open.budget.id === newer.budget.id) await open.account.report(false)
    }
  }

  function reservation(opened: Open[], need: PicoUsd): Reservation {
    return {
      settle(cost, counts) {
        const reporting = opened.flatMap(({ account, budget }) => {
          const spent = counts(budget) ? cost : 0n
          return account.settle(need, spent, exposureOf(budget.limit)) ?? []
        })
        if (reporting.length === 0) return undefined
        return Promise.race([Promise.all(reporting), sleep(holdMs, undefined, { ref: false })])
      },
    }
  }

  async function reserveSlowly(opened: Open[], taken: number, need: PicoUsd): Promise<Reserved> {
    const held = opened.slice(0, taken)
    try {
      for (const open of opened.slice(taken)) {
        const reserving = open.account.reserve(need)
        keepPolling()
        const outcome = await reserving
        if (outcome !== 'granted') {
          reservation(held, need).settle(0n, () => false)
          return { refusedBy: open.budget, outcome }
        }
        held.push(open)
      }
      return { reservation: reservation(opened, need) }
    } catch (error) {
      reservation(held, need).settle(0n, () => false)
      throw error
    }
  }

  const tell = (error: unknown) => deps.onError(error as Error)

  async function reportAll(): Promise<void> {
    const at = deps.now()
    for (const [key, open] of accounts) {
      const { account } = open
      if (account.isIdle) {
        open.closed = true
        accounts.delete(key)
      } else await account.report(at - account.usedAt < idleMs).catch(tell)
    }
  }
  let underway: Promise<void> | undefined
  const report = () => {
    underway ??= reportAll().finally(() => {
      underway = undefined
    })
    return underway
  }

  function poll(account: Account): void {
    account.giveUpStalled()
    account.serve().catch((error) => {
      account.giveUp(error)
      tell(error)
    })
  }
  let polling: NodeJS.Timeout | undefined
  /** As long as somebody waits: a server with nothing to do should sleep. */
  function keepPolling(): void {
    polling ??= setInterval(() => {
      const waited = [...accounts.values()].filter(({ account }) => account.isWaited)
      for (const { account } of waited) poll(account)
      if (waited.length > 0) return
      clearInterval(polling)
      polling = undefined
    }, pollMs).unref()
  }
  const reporting = setInterval(report, reportMs).unref()

  return {
    reserve(budgets, need) {
      const at = deps.now()
      const opened = budgets.map((budget) => accountOf(budget, at))
      let taken = 0
      for (const { account } of opened) {
        account.usedAt = at
        if (!account.take(need)) break
        taken++
      }
      if (taken === opened.length) return { reservation: reservation(opened, need) }
      return reserveSlowly(opened, taken, need)
    },
    report,
    async close() {
      clearInterval(polling)
      clearInterval(reporting)
      await underway
      for (const { account } of accounts.values()) await account.close().catch(tell)
    },
  }
}
